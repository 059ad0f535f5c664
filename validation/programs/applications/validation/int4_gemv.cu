// SPDX-License-Identifier: Apache-2.0
//
// Weights in four bits: groups of 64 halves become nibbles with a scale, then a vector is multiplied by them, two rows per warp.
#include <cuda_fp16.h>

#include "../app.h"

constexpr int kGroup = 64, kRowsPerBlock = 8;

// Eight lanes per group, eight halves per lane; nibbles are in the order in which the product takes them out: 0, 2, 4, 6 below 1, 3, 5, 7.
__global__ void quantise(const uint4* weights, uint32_t* packed, __half* scales, int count) {
    const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (at >= count) return;
    const uint4 raw = weights[at];
    const auto* pairs = reinterpret_cast<const __half2*>(&raw);
    float value[8], top = 0;
    for (int i = 0; i < 4; ++i) {
        const float2 both = __half22float2(pairs[i]);
        value[2 * i] = both.x, value[2 * i + 1] = both.y;
        top = fmaxf(top, fmaxf(fabsf(both.x), fabsf(both.y)));
    }
    for (int step = 1; step < 8; step *= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
    const float scale = top / 7, inverse = top > 0 ? 7 / top : 0;
    uint32_t word = 0;
    for (int i = 0; i < 8; ++i) {
        const int q = min(max(__float2int_rn(value[i] * inverse) + 8, 0), 15);
        word |= static_cast<uint32_t>(q) << (i % 2 * 16 + i / 2 * 4);
    }
    packed[at] = word;
    if (threadIdx.x % 8 == 0) scales[at / 8] = __float2half(scale);
}

__device__ float dot8(uint32_t word, const __half2* x, float scale) {
    const __half2 bias = __float2half2_rn(1032.0f);
    __half2 sum = __float2half2_rn(0);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        uint32_t two;
        asm("lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;" : "=r"(two) : "r"(word >> (4 * i)));
        sum = __hfma2(__hsub2(*reinterpret_cast<__half2*>(&two), bias), x[i], sum);
    }
    const float2 parts = __half22float2(sum);
    return (parts.x + parts.y) * scale;
}

__global__ void __launch_bounds__(128) gemv(const uint4* __restrict__ packed, const __half* __restrict__ scales, const uint4* __restrict__ x,
                                            __half* y, int columns) {
    extern __shared__ uint4 vector[];
    for (int i = threadIdx.x; i < columns / 8; i += blockDim.x) vector[i] = x[i];
    __syncthreads();
    const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 2, words = columns / 32;
    float sum[2] = {};
    for (int i = lane; i < words; i += 32)
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const uint4 w = __ldcs(&packed[static_cast<std::size_t>(row + r) * words + i]);
            const float scale = __half2float(scales[static_cast<std::size_t>(row + r) * (columns / kGroup) + i / 2]);
            const uint32_t four[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const uint4 values = vector[4 * i + j];
                sum[r] += dot8(four[j], reinterpret_cast<const __half2*>(&values), scale);
            }
        }
    for (int r = 0; r < 2; ++r) {
        for (int step = 16; step > 0; step /= 2) sum[r] += __shfl_down_sync(0xffffffffu, sum[r], step);
        if (lane == 0) y[row + r] = __float2half(sum[r]);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(512, 4096), columns = 2048;
    const std::size_t count = static_cast<std::size_t>(rows) * columns;
    std::vector<__half> w, x;
    for (float value : app::floats(count, 1)) w.push_back(__float2half(value));
    for (float value : app::floats(columns, 2)) x.push_back(__float2half(value));
    app::Buffer<__half> dw(w), dx(x), scales(count / kGroup), y(rows);
    app::Buffer<uint32_t> packed(count / 8);
    quantise<<<app::blocks(static_cast<int>(count / 8), 256), 256>>>(reinterpret_cast<uint4*>(dw.get()), packed.get(), scales.get(), static_cast<int>(count / 8));
    bench::finish();
    gemv<<<rows / kRowsPerBlock, 128, columns * sizeof(__half)>>>(reinterpret_cast<uint4*>(packed.get()), scales.get(), reinterpret_cast<uint4*>(dx.get()),
                                                                  y.get(), columns);
    bench::finish();
    const auto result = y.download();
    std::vector<float> got, want;
    for (int row = 0; row < rows; row += 5) {
        float sum = 0;
        for (int group = 0; group < columns / kGroup; ++group) {
            const __half* at = &w[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(group) * kGroup];
            float top = 0;
            for (int i = 0; i < kGroup; ++i) top = std::max(top, std::fabs(__half2float(at[i])));
            for (int i = 0; i < kGroup; ++i)
                sum += std::nearbyint(__half2float(at[i]) * (7 / top)) * (top / 7) * __half2float(x[group * kGroup + i]);
        }
        got.push_back(__half2float(result[row])), want.push_back(sum);
    }
    app.check(got, want, 3e-2);
    return app.finish();
}
