// SPDX-License-Identifier: Apache-2.0
//
// Squares of n x n, blocks of 16 x 16 threads: a transpose whose stores have a line for each row, and a convolution with
// nine weights in global memory that leaves the border alone.
#include "row.h"

__global__ void naive_transpose(const float* in, float* out, int n) {
    int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int line = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (column < n && line < n) out[column * n + line] = in[line * n + column];
}

__global__ void convolution3x3(const float* in, const float* weights, float* out, int n) {
    int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int line = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (column < 1 || line < 1 || column >= n - 1 || line >= n - 1) return;
    float sum = 0.0f;
#pragma unroll
    for (int y = -1; y <= 1; ++y)
#pragma unroll
        for (int x = -1; x <= 1; ++x) sum += in[(line + y) * n + column + x] * weights[(y + 1) * 3 + x + 1];
    out[line * n + column] = sum;
}

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "naive_transpose", 512);
    const int n = options.n;
    const auto size = static_cast<std::size_t>(n), all = size * size;
    auto data = app::floats(all, 4), weights = app::floats(9, 5);
    std::vector<float> want(all, 0.0f);
    row::Buffer<float> in(data), factors(weights), out(all);
    out.clear();
    const dim3 threads(16, 16), grid(row::blocks(n, 16), row::blocks(n, 16));
    if (options.is("naive_transpose")) {
        naive_transpose<<<grid, threads>>>(in.get(), out.get(), n);
        for (std::size_t y = 0; y < size; ++y)
            for (std::size_t x = 0; x < size; ++x) want[x * size + y] = data[y * size + x];
    } else if (options.is("convolution3x3")) {
        convolution3x3<<<grid, threads>>>(in.get(), factors.get(), out.get(), n);
        for (std::size_t y = 1; y + 1 < size; ++y)
            for (std::size_t x = 1; x + 1 < size; ++x)
                for (std::size_t k = 0; k < 9; ++k)
                    want[y * size + x] += data[(y + k / 3 - 1) * size + x + k % 3 - 1] * weights[k];
    } else {
        options.unknown("naive_transpose, convolution3x3");
    }
    bench::finish();
    app.check(out.download(), want, 1e-5);
    return app.finish();
}
