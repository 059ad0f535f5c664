// SPDX-License-Identifier: Apache-2.0
//
// Causal attention on tensor cores: 64 queries per block, tiles of keys and values by asynchronous copies, softmax in registers.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "../app.h"

constexpr int kHead = 64, kRows = 64, kTile = 32, kPitch = kHead + 8;

__device__ uint32_t address(const __half* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }
__device__ void load(uint32_t (&r)[4], const __half* at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address(at)));
}
__device__ void load_transposed(uint32_t (&r)[4], const __half* at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address(at)));
}
__device__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ uint32_t pack(float low, float high) {
    const __half2 both = __floats2half2_rn(low, high);
    return *reinterpret_cast<const uint32_t*>(&both);
}

__global__ void __launch_bounds__(128) flash_attention(const __half* q, const __half* k, const __half* v, __half* out, int tokens) {
    __shared__ __align__(16) __half qs[kRows][kPitch], ks[2][kTile][kPitch], vs[2][kTile][kPitch];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, first = static_cast<int>(blockIdx.x) * kRows;
    const std::size_t head = static_cast<std::size_t>(blockIdx.y) * tokens * kHead;
    for (int i = t; i < kRows * kHead / 8; i += 128)
        __pipeline_memcpy_async(&qs[i / 8][i % 8 * 8], &q[head + (first + i / 8) * kHead + i % 8 * 8], 16);
    auto fetch = [&](int tile) {
        for (int i = t; i < kTile * kHead / 8; i += 128) {
            const std::size_t from = head + (tile * kTile + i / 8) * kHead + i % 8 * 8;
            __pipeline_memcpy_async(&ks[tile % 2][i / 8][i % 8 * 8], &k[from], 16);
            __pipeline_memcpy_async(&vs[tile % 2][i / 8][i % 8 * 8], &v[from], 16);
        }
        __pipeline_commit();
    };
    fetch(0);
    const int tiles = (first + kRows) / kTile;
    uint32_t query[kHead / 16][4];
    float sum[kHead / 8][4] = {}, most[2] = {-1e30f, -1e30f}, weight[2] = {};
    const float scale = 1.44269504f / 8.0f;
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) fetch(tile + 1);
        else __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        if (tile == 0)
            for (int i = 0; i < kHead / 16; ++i) load(query[i], &qs[warp * 16 + lane % 16][i * 16 + lane / 16 * 8]);
        float score[kTile / 8][4] = {};
#pragma unroll
        for (int i = 0; i < kHead / 16; ++i)
#pragma unroll
            for (int j = 0; j < kTile / 16; ++j) {
                uint32_t b[4];
                load(b, &ks[tile % 2][j * 16 + lane / 16 * 8 + lane % 8][i * 16 + lane / 8 % 2 * 8]);
                multiply(score[2 * j], query[i], b[0], b[1]);
                multiply(score[2 * j + 1], query[i], b[2], b[3]);
            }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = first + warp * 16 + lane / 4 + 8 * half;
            float top = most[half];
#pragma unroll
            for (int j = 0; j < kTile / 8; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    float& s = score[j][2 * half + e];
                    s = tile * kTile + j * 8 + lane % 4 * 2 + e <= row ? s * scale : -1e30f;
                    top = fmaxf(top, s);
                }
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
            const float keep = exp2f(most[half] - top);
            most[half] = top;
            weight[half] *= keep;
#pragma unroll
            for (int j = 0; j < kTile / 8; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e) weight[half] += score[j][2 * half + e] = exp2f(score[j][2 * half + e] - top);
#pragma unroll
            for (int j = 0; j < kHead / 8; ++j) sum[j][2 * half] *= keep, sum[j][2 * half + 1] *= keep;
        }
#pragma unroll
        for (int i = 0; i < kTile / 16; ++i) {
            const uint32_t p[4] = {pack(score[2 * i][0], score[2 * i][1]), pack(score[2 * i][2], score[2 * i][3]),
                                   pack(score[2 * i + 1][0], score[2 * i + 1][1]), pack(score[2 * i + 1][2], score[2 * i + 1][3])};
#pragma unroll
            for (int j = 0; j < kHead / 16; ++j) {
                uint32_t b[4];
                load_transposed(b, &vs[tile % 2][i * 16 + lane % 16][j * 16 + lane / 16 * 8]);
                multiply(sum[2 * j], p, b[0], b[1]);
                multiply(sum[2 * j + 1], p, b[2], b[3]);
            }
        }
        __syncthreads();
    }
    for (int half = 0; half < 2; ++half) {
        float total = weight[half];
        total += __shfl_xor_sync(0xffffffffu, total, 1);
        total += __shfl_xor_sync(0xffffffffu, total, 2);
        const float one = 1.0f / total;
        const int row = first + warp * 16 + lane / 4 + 8 * half;
        for (int j = 0; j < kHead / 8; ++j)
            *reinterpret_cast<__half2*>(&out[head + row * kHead + j * 8 + lane % 4 * 2]) =
                __floats2half2_rn(sum[j][2 * half] * one, sum[j][2 * half + 1] * one);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int tokens = app.size(256, 1024), heads = 12;
    const std::size_t count = static_cast<std::size_t>(heads) * tokens * kHead;
    auto halves = [&](uint64_t seed) {
        std::vector<__half> to;
        for (float value : app::floats(count, seed)) to.push_back(__float2half(value));
        return to;
    };
    const auto q = halves(1), k = halves(2), v = halves(3);
    app::Buffer<__half> dq(q), dk(k), dv(v), out(count);
    flash_attention<<<dim3(tokens / kRows, heads), 128>>>(dq.get(), dk.get(), dv.get(), out.get(), tokens);
    bench::finish();
    const auto result = out.download();
    std::vector<float> got, want;
    for (int h = 0; h < heads; ++h)
        for (int row = 5; row < tokens; row += 37) {
            const std::size_t head = static_cast<std::size_t>(h) * tokens * kHead, at = head + static_cast<std::size_t>(row) * kHead;
            float total = 0, sum[kHead] = {};
            for (int j = 0; j <= row; ++j) {
                float score = 0;
                for (int i = 0; i < kHead; ++i) score += __half2float(q[at + i]) * __half2float(k[head + j * kHead + i]);
                const float p = std::exp(score / 8);
                total += p;
                for (int i = 0; i < kHead; ++i) sum[i] += p * __half2float(v[head + j * kHead + i]);
            }
            for (int i = 0; i < kHead; ++i) got.push_back(__half2float(result[at + i])), want.push_back(sum[i] / total);
        }
    app.check(got, want, 3e-3);
    return app.finish();
}
