// SPDX-License-Identifier: Apache-2.0
//
// Pairs of halves: a x + b y streamed from DRAM, then the largest magnitude of each row of 1024.
#include "../app.h"

#include <cuda_fp16.h>

__global__ void axpby(__half2 a, const __half2* x, __half2 b, __half2* y, int pairs) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x)
        y[i] = __hfma2(a, x[i], __hmul2(b, y[i]));
}

__global__ void row_max(const __half2* y, float* out) {
    __shared__ float part[4];
    float most = 0;
    for (int i = threadIdx.x; i < 512; i += 128) {
        const float2 v = __half22float2(y[blockIdx.x * 512 + i]);
        most = fmaxf(most, fmaxf(fabsf(v.x), fabsf(v.y)));
    }
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 18, 1 << 24);
    const auto count = static_cast<std::size_t>(n);
    // Multiples of 1/8 up to 4: products and sums are exact in halves.
    const auto a = app::integers(count, 1, 32), b = app::integers(count, 2, 32);
    std::vector<__half> x(count), y(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = __float2half(a[i] / 8.0f), y[i] = __float2half(b[i] / 8.0f);
    app::Buffer<__half> dx(x), dy(y);
    app::Buffer<float> most(count / 1024);
    auto* px = reinterpret_cast<__half2*>(dx.get());
    auto* py = reinterpret_cast<__half2*>(dy.get());
    axpby<<<std::min(n / 512, 4096), 256>>>(__floats2half2_rn(2.0f, 2.0f), px, __floats2half2_rn(-0.5f, -0.5f), py, n / 2);
    row_max<<<n / 1024, 128>>>(py, most.get());
    bench::finish();
    std::vector<float> want(count / 1024);
    for (std::size_t i = 0; i < count; ++i) want[i / 1024] = std::max(want[i / 1024], std::fabs(a[i] / 4.0f - b[i] / 16.0f));
    app.check(most.download(), want, 0);
    return app.finish();
}
