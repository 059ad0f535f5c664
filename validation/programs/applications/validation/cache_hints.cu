// SPDX-License-Identifier: Apache-2.0
//
// Layers of a network whose weights should stay and whose values should pass: prefetches to the L2, loads with sizes and policies of eviction.
#include "../app.h"

// out[row] = relu(sum over 4 rows of x at random places, each with a weight row that all share)
__global__ void __launch_bounds__(256) gather_weighted(const float4* x, const int4* from, const float4* weights, float4* out, int wide, int rows) {
    uint64_t keep, pass;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(pass));
    for (int row = static_cast<int>(blockIdx.x); row < rows; row += static_cast<int>(gridDim.x)) {
        const int4 four = from[row];
        const int next = row + static_cast<int>(gridDim.x);
        if (next < rows && threadIdx.x % 8 == 0) {
            const float4* ahead = &x[static_cast<std::size_t>(from[next].x) * wide + threadIdx.x];
            asm volatile("prefetch.global.L2 [%0];" ::"l"(ahead));
        }
        float4 sum = make_float4(0, 0, 0, 0);
        const int places[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float4 v, w;
            asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(&x[static_cast<std::size_t>(places[i]) * wide + threadIdx.x]), "l"(pass));
            asm volatile("ld.global.nc.L1::evict_last.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;" : "=f"(w.x), "=f"(w.y), "=f"(w.z), "=f"(w.w)
                         : "l"(&weights[i * wide + threadIdx.x]), "l"(keep));
            sum.x += v.x * w.x, sum.y += v.y * w.y, sum.z += v.z * w.z, sum.w += v.w * w.w;
        }
        __stwt(&out[static_cast<std::size_t>(row) * wide + threadIdx.x], make_float4(fmaxf(sum.x, 0), fmaxf(sum.y, 0), fmaxf(sum.z, 0), fmaxf(sum.w, 0)));
    }
}

// Every eighth word of rows, with the sectors beside fetched on request, and a running mean kept in place past the L1.
__global__ void sampled_mean(const float* x, float* mean, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    float a, b;
    asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(a) : "l"(&x[static_cast<std::size_t>(i) * 8]));
    asm volatile("ld.global.L2::64B.f32 %0, [%1];" : "=f"(b) : "l"(&x[static_cast<std::size_t>(count - 1 - i) * 8 + 4]));
    __stcg(&mean[i], 0.9f * __ldcg(&mean[i]) + 0.05f * (a + b));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(1024, 8192), wide = 256;
    const auto x = app::floats(4 * static_cast<std::size_t>(rows) * wide, 1), weights = app::floats(16 * wide, 2);
    std::vector<int4> from;
    const auto random = app::integers(4 * static_cast<std::size_t>(rows), 3, static_cast<uint32_t>(rows));
    for (int i = 0; i < rows; ++i)
        from.push_back(make_int4(static_cast<int>(random[4 * i]), static_cast<int>(random[4 * i + 1]), static_cast<int>(random[4 * i + 2]), static_cast<int>(random[4 * i + 3])));
    const int samples = rows * wide / 2;
    app::Buffer<float> dx(x), dw(weights), out(x.size()), mean(samples);
    app::Buffer<int4> df(from);
    mean.clear();
    gather_weighted<<<528, wide>>>(reinterpret_cast<float4*>(dx.get()), df.get(), reinterpret_cast<float4*>(dw.get()), reinterpret_cast<float4*>(out.get()), wide, rows);
    bench::finish();
    sampled_mean<<<app::blocks(samples, 256), 256>>>(dx.get(), mean.get(), samples);
    bench::finish();
    const auto result = out.download();
    std::vector<float> got, want, means;
    for (std::size_t at = 0; at < result.size(); at += 13) {
        const std::size_t row = at / (4 * wide), column = at % (4 * wide);
        const int places[4] = {from[row].x, from[row].y, from[row].z, from[row].w};
        float sum = 0;
        for (std::size_t i = 0; i < 4; ++i) sum += x[static_cast<std::size_t>(places[i]) * 4 * wide + column] * weights[i * 4 * wide + column];
        got.push_back(result[at]), want.push_back(std::max(sum, 0.0f));
    }
    app.check(got, want, 1e-5);
    for (int i = 0; i < samples; ++i) means.push_back(0.05f * (x[static_cast<std::size_t>(i) * 8] + x[static_cast<std::size_t>(samples - 1 - i) * 8 + 4]));
    app.check(mean.download(), means, 1e-5);
    return app.finish();
}
