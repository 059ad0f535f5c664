// SPDX-License-Identifier: Apache-2.0
//
// Image convolution with a 7x7 filter in constant memory.
#include "../app.h"

constexpr int kRadius = 3;
__constant__ float filter[49];

__global__ void convolve(const float* in, float* out, int n) {
    int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
    int y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
    if (x < kRadius || y < kRadius || x >= n - kRadius || y >= n - kRadius) return;
    float sum = 0;
#pragma unroll
    for (int dy = -kRadius; dy <= kRadius; ++dy) {
#pragma unroll
        for (int dx = -kRadius; dx <= kRadius; ++dx) {
            sum = fmaf(filter[(dy + kRadius) * 7 + dx + kRadius], in[(y + dy) * n + x + dx], sum);
        }
    }
    out[y * n + x] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(256, 1024);
    auto weights = app::floats(49, 27);
    auto data = app::floats(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 28);
    CUDA_OK(cudaMemcpyToSymbol(filter, weights.data(), 49 * sizeof(float)));
    app::Buffer<float> in(data), out(data.size());
    out.clear();
    convolve<<<dim3(app::blocks(n, 32), app::blocks(n, 8)), dim3(32, 8)>>>(in.get(), out.get(), n);
    bench::finish();
    std::vector<float> want(data.size(), 0.0f);
    for (int y = kRadius; y < n - kRadius; ++y) {
        for (int x = kRadius; x < n - kRadius; ++x) {
            float sum = 0;
            for (int k = 0; k < 49; ++k) sum = std::fma(weights[k], data[(y + k / 7 - 3) * n + x + k % 7 - 3], sum);
            want[static_cast<std::size_t>(y * n + x)] = sum;
        }
    }
    app.check(out.download(), want, 1e-5);
    return app.finish();
}
