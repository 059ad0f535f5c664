// SPDX-License-Identifier: Apache-2.0
//
// An optimiser's step over many tensors in one launch each: the norm of all gradients, then Adam with clipping and a copy in bfloat16.
#include <cuda_bf16.h>

#include "../app.h"

constexpr int kTensors = 24, kChunk = 8192, kChunks = 320, kThreads = 512;

struct List {
    float* p[kTensors];
    float* m[kTensors];
    float* v[kTensors];
    const float* g[kTensors];
    __nv_bfloat16* low[kTensors];
    int size[kTensors];
    unsigned char tensor[kChunks];
    short chunk[kChunks];
};
static_assert(sizeof(List) < 4000, "kernel parameters are at most 4 KB");

__global__ void __launch_bounds__(kThreads) norm(List list, float* total) {
    __shared__ float parts[kThreads / 32];
    const int tensor = list.tensor[blockIdx.x], begin = list.chunk[blockIdx.x] * kChunk, count = min(list.size[tensor] - begin, kChunk);
    const float* g = list.g[tensor] + begin;
    float sum[4] = {};
    for (int i = threadIdx.x * 4; i < count; i += kThreads * 4)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (i + j < count) sum[j] += g[i + j] * g[i + j];
    float all = sum[0] + sum[1] + sum[2] + sum[3];
    for (int step = 16; step > 0; step /= 2) all += __shfl_xor_sync(0xffffffffu, all, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = all;
    __syncthreads();
    if (threadIdx.x < 32) {
        all = threadIdx.x < kThreads / 32 ? parts[threadIdx.x] : 0;
        for (int step = 8; step > 0; step /= 2) all += __shfl_xor_sync(0xffffffffu, all, step);
        if (threadIdx.x == 0) atomicAdd(total, all);
    }
}

__device__ void update(float& p, float& m, float& v, float g) {
    m = 0.9f * m + 0.1f * g;
    v = 0.999f * v + 0.001f * g * g;
    p -= 0.01f * ((m / 0.1f) / (sqrtf(v / 0.001f) + 1e-8f) + 0.05f * p);
}

__global__ void __launch_bounds__(kThreads) adam(List list, const float* total) {
    const int tensor = list.tensor[blockIdx.x], begin = list.chunk[blockIdx.x] * kChunk, count = min(list.size[tensor] - begin, kChunk);
    float* p = list.p[tensor] + begin;
    float* m = list.m[tensor] + begin;
    float* v = list.v[tensor] + begin;
    const float* g = list.g[tensor] + begin;
    __nv_bfloat16* low = list.low[tensor] + begin;
    const float clip = fminf(1.0f, 1.0f / sqrtf(*total));
    if (count == kChunk) {
        for (int i = threadIdx.x; i < kChunk / 4; i += kThreads) {
            float4 pp = reinterpret_cast<float4*>(p)[i], mm = __ldcs(&reinterpret_cast<float4*>(m)[i]), vv = __ldcs(&reinterpret_cast<float4*>(v)[i]);
            const float4 gg = __ldlu(&reinterpret_cast<const float4*>(g)[i]);
            update(pp.x, mm.x, vv.x, gg.x * clip), update(pp.y, mm.y, vv.y, gg.y * clip);
            update(pp.z, mm.z, vv.z, gg.z * clip), update(pp.w, mm.w, vv.w, gg.w * clip);
            reinterpret_cast<float4*>(p)[i] = pp;
            __stcs(&reinterpret_cast<float4*>(m)[i], mm);
            __stcs(&reinterpret_cast<float4*>(v)[i], vv);
            reinterpret_cast<__nv_bfloat162*>(low)[2 * i] = __floats2bfloat162_rn(pp.x, pp.y);
            reinterpret_cast<__nv_bfloat162*>(low)[2 * i + 1] = __floats2bfloat162_rn(pp.z, pp.w);
        }
    } else {
        for (int i = threadIdx.x; i < count; i += kThreads) {
            update(p[i], m[i], v[i], g[i] * clip);
            low[i] = __float2bfloat16(p[i]);
        }
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int scale = app.size(1, 10);
    List list = {};
    std::vector<int> offset(kTensors);
    int total = 0, chunks = 0;
    for (int i = 0; i < kTensors; ++i) {
        const int size = scale * (i % 3 == 0 ? 777 + 13 * i : i % 3 == 1 ? 8192 + 40 * i : 20000);
        list.size[i] = size;
        offset[i] = total;
        total += (size + 63) / 64 * 64;
        for (int chunk = 0; chunk < (size + kChunk - 1) / kChunk; ++chunk) {
            if (chunks == kChunks) return 1;
            list.tensor[chunks] = static_cast<unsigned char>(i), list.chunk[chunks] = static_cast<short>(chunk);
            ++chunks;
        }
    }
    auto fp = app::floats(total, 1), fg = app::floats(total, 2), fm = app::floats(total, 3), fv = app::floats(total, 4, 0, 1);
    app::Buffer<float> p(fp), g(fg), m(fm), v(fv), sum(1);
    app::Buffer<__nv_bfloat16> low(total);
    for (int i = 0; i < kTensors; ++i) {
        list.p[i] = p.get() + offset[i], list.m[i] = m.get() + offset[i], list.v[i] = v.get() + offset[i];
        list.g[i] = g.get() + offset[i], list.low[i] = low.get() + offset[i];
    }
    sum.clear();
    norm<<<chunks, kThreads>>>(list, sum.get());
    bench::finish();
    adam<<<chunks, kThreads>>>(list, sum.get());
    bench::finish();
    double squares = 0;
    for (int i = 0; i < kTensors; ++i)
        for (int j = 0; j < list.size[i]; ++j) squares += static_cast<double>(fg[offset[i] + j]) * fg[offset[i] + j];
    app.check(sum.download(), std::vector<float>{static_cast<float>(squares)}, 1e-4);
    const float clip = std::min(1.0f, 1.0f / std::sqrt(static_cast<float>(squares)));
    const auto result = p.download();
    const auto copy = low.download();
    std::vector<float> got, want, halves;
    for (int i = 0; i < kTensors; ++i)
        for (int j = 0; j < list.size[i]; ++j) {
            const int at = offset[i] + j;
            const float grad = fg[at] * clip, mm = 0.9f * fm[at] + 0.1f * grad, vv = 0.999f * fv[at] + 0.001f * grad * grad;
            want.push_back(fp[at] - 0.01f * ((mm / 0.1f) / (std::sqrt(vv / 0.001f) + 1e-8f) + 0.05f * fp[at]));
            got.push_back(result[at]);
            halves.push_back(__bfloat162float(copy[at]));
        }
    app.check(got, want, 1e-4);
    app.check(halves, want, 6e-3);
    return app.finish();
}
