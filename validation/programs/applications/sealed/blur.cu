// SPDX-License-Identifier: Apache-2.0
//
// A separable Gaussian of 9 taps: rows from shared memory with a halo, columns straight from global memory.
#include "../app.h"

constexpr int kRadius = 4, kWidth = 128;
__constant__ float taps[2 * kRadius + 1];

__global__ void rows(const float* in, float* out, int n) {
    __shared__ float line[kWidth + 2 * kRadius];
    const int y = blockIdx.y, x0 = blockIdx.x * kWidth - kRadius;
    for (int i = threadIdx.x; i < kWidth + 2 * kRadius; i += kWidth) line[i] = in[y * n + min(max(x0 + i, 0), n - 1)];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * kRadius; ++k) sum += taps[k] * line[threadIdx.x + k];
    out[y * n + x0 + kRadius + threadIdx.x] = sum;
}

__global__ void columns(const float* in, float* out, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
#pragma unroll
    for (int k = -kRadius; k <= kRadius; ++k) sum += taps[k + kRadius] * in[min(max(y + k, 0), n - 1) * n + x];
    out[y * n + x] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(512, 4096);
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const std::vector<float> weights = {0.02f, 0.06f, 0.12f, 0.18f, 0.24f, 0.18f, 0.12f, 0.06f, 0.02f};
    const auto data = app::floats(count, 1);
    app::Buffer<float> in(data), middle(count), out(count);
    CUDA_OK(cudaMemcpyToSymbol(taps, weights.data(), weights.size() * sizeof(float)));
    rows<<<dim3(n / kWidth, n), kWidth>>>(in.get(), middle.get(), n);
    columns<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(middle.get(), out.get(), n);
    bench::finish();
    std::vector<float> between(count), want(count);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
            for (int k = -kRadius; k <= kRadius; ++k)
                between[y * n + x] += weights[k + kRadius] * data[y * n + std::min(std::max(x + k, 0), n - 1)];
    for (int y = 0; y < n; ++y)
        for (int k = -kRadius; k <= kRadius; ++k)
            for (int x = 0; x < n; ++x) want[y * n + x] += weights[k + kRadius] * between[std::min(std::max(y + k, 0), n - 1) * n + x];
    app.check(out.download(), want, 1e-5);
    return app.finish();
}
