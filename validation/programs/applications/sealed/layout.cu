// SPDX-License-Identifier: Apache-2.0
//
// An array of structures of six floats to six arrays, through shared memory and directly; and a sum along a stride.
#include "../app.h"

constexpr int kFields = 6, kBlock = 128;

__global__ void apart_directly(const float* in, float* out, int n) {
    const int i = blockIdx.x * kBlock + threadIdx.x;
#pragma unroll
    for (int f = 0; f < kFields; ++f) out[static_cast<std::size_t>(f) * n + i] = in[static_cast<std::size_t>(i) * kFields + f];
}

__global__ void apart_by_tiles(const float* in, float* out, int n) {
    __shared__ float tile[kBlock * kFields];
    const std::size_t base = static_cast<std::size_t>(blockIdx.x) * kBlock;
#pragma unroll
    for (int f = 0; f < kFields; ++f) tile[f * kBlock + threadIdx.x] = in[base * kFields + f * kBlock + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int f = 0; f < kFields; ++f) out[static_cast<std::size_t>(f) * n + base + threadIdx.x] = tile[threadIdx.x * kFields + f];
}

__global__ void sum_strided(const float* in, float* out, int stride, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < count; ++k) sum += in[static_cast<std::size_t>(i) * stride + k];
    out[i] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(32768, 1 << 21), stride = 24, sums = n / 4;
    const auto data = app::floats(static_cast<std::size_t>(n) * kFields, 61);
    app::Buffer<float> in(data), direct(data.size()), tiled(data.size()), sum(sums);
    apart_directly<<<n / kBlock, kBlock>>>(in.get(), direct.get(), n);
    apart_by_tiles<<<n / kBlock, kBlock>>>(in.get(), tiled.get(), n);
    sum_strided<<<sums / 256, 256>>>(in.get(), sum.get(), stride, 16);
    bench::finish();
    std::vector<float> want(data.size()), totals(sums);
    for (int i = 0; i < n; ++i)
        for (int f = 0; f < kFields; ++f) want[static_cast<std::size_t>(f) * n + i] = data[static_cast<std::size_t>(i) * kFields + f];
    for (int i = 0; i < sums; ++i)
        for (int k = 0; k < 16; ++k) totals[i] += data[static_cast<std::size_t>(i) * stride + k];
    app.check(direct.download(), want, 0);
    app.check(tiled.download(), want, 0);
    app.check(sum.download(), totals, 1e-5);
    return app.finish();
}
