// SPDX-License-Identifier: Apache-2.0
//
// Between two layers of a language model: residual and RMS norm in place, rotary positions of queries and keys, and a gated activation.
#include <cuda_bf16.h>

#include "../app.h"

constexpr int kWide = 2048, kHeads = 16, kHead = 128;

__global__ void __launch_bounds__(256) add_rms_norm(uint4* x, uint4* residual, const uint4* weight) {
    __shared__ float parts[8];
    const std::size_t at = static_cast<std::size_t>(blockIdx.x) * (kWide / 8) + threadIdx.x;
    uint4 a = x[at], b = residual[at];
    float v[8], sum = 0;
    for (int i = 0; i < 4; ++i) {
        const float2 one = __bfloat1622float2(reinterpret_cast<__nv_bfloat162*>(&a)[i]), two = __bfloat1622float2(reinterpret_cast<__nv_bfloat162*>(&b)[i]);
        v[2 * i] = one.x + two.x, v[2 * i + 1] = one.y + two.y;
        reinterpret_cast<__nv_bfloat162*>(&b)[i] = __floats2bfloat162_rn(v[2 * i], v[2 * i + 1]);
        sum += v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1];
    }
    residual[at] = b;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (float part : parts) sum += part;
    const float scale = rsqrtf(sum / kWide + 1e-5f);
    const uint4 w = __ldg(&weight[threadIdx.x]);
    for (int i = 0; i < 4; ++i) {
        const float2 one = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162*>(&w)[i]);
        reinterpret_cast<__nv_bfloat162*>(&a)[i] = __floats2bfloat162_rn(v[2 * i] * scale * one.x, v[2 * i + 1] * scale * one.y);
    }
    x[at] = a;
}

// Turns pairs half a head apart; sines and cosines are computed.
__global__ void rotate(__nv_bfloat16* x, const int* positions) {
    const int row = blockIdx.x, pair = threadIdx.x;
    float sine, cosine;
    sincosf(static_cast<float>(positions[row]) * exp2f(-13.2877124f * 2 * pair / kHead), &sine, &cosine);
    for (int head = threadIdx.y; head < kHeads; head += blockDim.y) {
        __nv_bfloat16* at = &x[(static_cast<std::size_t>(row) * kHeads + head) * kHead + pair];
        const float a = __bfloat162float(at[0]), b = __bfloat162float(at[kHead / 2]);
        at[0] = __float2bfloat16(a * cosine - b * sine);
        at[kHead / 2] = __float2bfloat16(b * cosine + a * sine);
    }
}

__global__ void gate(const __nv_bfloat162* x, __nv_bfloat162* out, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const int row = i / (kWide / 4), column = i % (kWide / 4);
    const float2 a = __bfloat1622float2(x[row * (kWide / 2) + column]), b = __bfloat1622float2(x[row * (kWide / 2) + kWide / 4 + column]);
    out[i] = __floats2bfloat162_rn(a.x / (1 + __expf(-a.x)) * b.x, a.y / (1 + __expf(-a.y)) * b.y);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(128, 1024);
    const std::size_t count = static_cast<std::size_t>(rows) * kWide;
    auto rounded = [](std::size_t size, uint64_t seed) {
        std::vector<__nv_bfloat16> to;
        for (float value : app::floats(size, seed)) to.push_back(__float2bfloat16(value));
        return to;
    };
    const auto x = rounded(count, 1), residual = rounded(count, 2), weight = rounded(kWide, 3);
    std::vector<int> positions;
    for (uint32_t value : app::integers(rows, 4, 2000)) positions.push_back(static_cast<int>(value));
    app::Buffer<__nv_bfloat16> dx(x), dr(residual), dw(weight), gated(count / 2);
    app::Buffer<int> dp(positions);
    add_rms_norm<<<rows, kWide / 8>>>(reinterpret_cast<uint4*>(dx.get()), reinterpret_cast<uint4*>(dr.get()), reinterpret_cast<uint4*>(dw.get()));
    bench::finish();
    rotate<<<rows, dim3(kHead / 2, 4)>>>(dx.get(), dp.get());
    bench::finish();
    gate<<<app::blocks(static_cast<int>(count / 4), 256), 256>>>(reinterpret_cast<__nv_bfloat162*>(dx.get()), reinterpret_cast<__nv_bfloat162*>(gated.get()),
                                                                static_cast<int>(count / 4));
    bench::finish();
    std::vector<float> got, want, gates, gates_wanted;
    const auto result = dx.download(), last = gated.download();
    for (int row = 0; row < rows; row += 3) {
        const std::size_t at = static_cast<std::size_t>(row) * kWide;
        std::vector<float> v(kWide);
        float sum = 0;
        for (int i = 0; i < kWide; ++i) v[i] = __bfloat162float(x[at + i]) + __bfloat162float(residual[at + i]), sum += v[i] * v[i];
        for (int i = 0; i < kWide; ++i) v[i] *= __bfloat162float(weight[i]) / std::sqrt(sum / kWide + 1e-5f);
        for (int head = 0; head < kHeads; ++head)
            for (int i = 0; i < kHead / 2; ++i) {
                const double angle = positions[row] * std::pow(10000.0, -2.0 * i / kHead), c = std::cos(angle), s = std::sin(angle);
                float &a = v[head * kHead + i], &b = v[head * kHead + kHead / 2 + i];
                const double old = a;
                a = static_cast<float>(a * c - b * s), b = static_cast<float>(b * c + old * s);
            }
        for (int i = 0; i < kWide; ++i) got.push_back(__bfloat162float(result[at + i])), want.push_back(v[i]);
        for (int i = 0; i < kWide / 2; ++i) {
            gates.push_back(__bfloat162float(last[at / 2 + i]));
            gates_wanted.push_back(v[i] / (1 + std::exp(-v[i])) * v[kWide / 2 + i]);
        }
    }
    app.check(got, want, 2e-2);
    app.check(gates, gates_wanted, 3e-2);
    return app.finish();
}
