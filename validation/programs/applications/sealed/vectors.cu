// SPDX-License-Identifier: Apache-2.0
//
// Many small matrices times vectors, and one matrix times a vector by columns with a second kernel that adds the parts.
#include "../app.h"

constexpr int kSize = 64;

__global__ void many(const float* m, const float* x, float* y) {
    __shared__ float v[kSize];
    const float* mine = m + static_cast<std::size_t>(blockIdx.x) * kSize * kSize;
    v[threadIdx.x] = x[blockIdx.x * kSize + threadIdx.x];
    __syncthreads();
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < kSize; ++k) sum += mine[k * kSize + threadIdx.x] * v[k];
    y[blockIdx.x * kSize + threadIdx.x] = sum;
}

__global__ void by_columns(const float* m, const float* x, float* parts, int rows, int columns, int share) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * share;
    float sum = 0;
    for (int c = first; c < min(first + share, columns); ++c) sum += m[static_cast<std::size_t>(c) * rows + r] * x[c];
    parts[blockIdx.y * rows + r] = sum;
}

__global__ void add_parts(const float* parts, float* y, int rows, int count) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < count; ++k) sum += parts[k * rows + r];
    y[r] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int batch = app.size(512, 6144), rows = app.size(2048, 8192), columns = 1024, share = 64;
    const auto m = app::floats(static_cast<std::size_t>(batch) * kSize * kSize, 37), x = app::floats(static_cast<std::size_t>(batch) * kSize, 38);
    const auto wide = app::floats(static_cast<std::size_t>(rows) * columns, 39), v = app::floats(columns, 40);
    app::Buffer<float> dm(m), dx(x), dy(x.size()), dw(wide), dv(v), parts(static_cast<std::size_t>(rows) * columns / share), out(rows);
    many<<<batch, kSize>>>(dm.get(), dx.get(), dy.get());
    by_columns<<<dim3(rows / 128, columns / share), 128>>>(dw.get(), dv.get(), parts.get(), rows, columns, share);
    add_parts<<<rows / 128, 128>>>(parts.get(), out.get(), rows, columns / share);
    bench::finish();
    std::vector<double> first(x.size()), second(rows);
    for (int b = 0; b < batch; ++b)
        for (int k = 0; k < kSize; ++k)
            for (int i = 0; i < kSize; ++i)
                first[b * kSize + i] += double(m[(static_cast<std::size_t>(b) * kSize + k) * kSize + i]) * x[b * kSize + k];
    for (int c = 0; c < columns; ++c)
        for (int r = 0; r < rows; ++r) second[r] += double(wide[static_cast<std::size_t>(c) * rows + r]) * v[c];
    app.check(dy.download(), std::vector<float>(first.begin(), first.end()), 1e-4);
    app.check(out.download(), std::vector<float>(second.begin(), second.end()), 1e-4);
    return app.finish();
}
