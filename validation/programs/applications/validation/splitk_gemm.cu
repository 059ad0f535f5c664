// SPDX-License-Identifier: Apache-2.0
//
// C = A B in bfloat16 with the depth shared out: four stages of copies under way, blocks of a tile add their parts in turn by a semaphore.
#include <cuda_bf16.h>
#include <cuda_pipeline.h>

#include "../app.h"

constexpr int kTile = 64, kDepth = 32, kStages = 4, kPitch = kDepth + 8;
using Tile = __nv_bfloat16[kTile][kPitch];

__device__ void load(uint32_t (&r)[4], const __nv_bfloat16* at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(at))));
}
__device__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// a is m x depth, b is n x depth.
__global__ void __launch_bounds__(128) splitk_gemm(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* parts,
                                                   __nv_bfloat16* c, const float* bias, int* semaphores, int n, int depth) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto* as = reinterpret_cast<Tile*>(memory);
    auto* bs = as + kStages;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, row = blockIdx.y * kTile, column = blockIdx.x * kTile;
    const int part = depth / static_cast<int>(gridDim.z), begin = static_cast<int>(blockIdx.z) * part, steps = part / kDepth;
    auto fetch = [&](int step) {
        if (step < steps)
            for (int i = t; i < kTile * kDepth / 8; i += 128) {
                const int r = i / 4, k = begin + step * kDepth + i % 4 * 8;
                __pipeline_memcpy_async(&as[step % kStages][r][i % 4 * 8], &a[static_cast<std::size_t>(row + r) * depth + k], 16);
                __pipeline_memcpy_async(&bs[step % kStages][r][i % 4 * 8], &b[static_cast<std::size_t>(column + r) * depth + k], 16);
            }
        __pipeline_commit();
    };
    for (int s = 0; s < kStages - 1; ++s) fetch(s);
    float sum[2][4][4] = {};
    for (int step = 0; step < steps; ++step) {
        __pipeline_wait_prior(kStages - 2);
        __syncthreads();
        fetch(step + kStages - 1);
        const Tile& ta = as[step % kStages];
        const Tile& tb = bs[step % kStages];
#pragma unroll
        for (int k = 0; k < kDepth; k += 16) {
            uint32_t fa[2][4], fb[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                load(fa[i], &ta[warp / 2 * 32 + i * 16 + lane % 16][k + lane / 16 * 8]);
                load(fb[i], &tb[warp % 2 * 32 + i * 16 + lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 8]);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) multiply(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
        }
    }
    int* semaphore = &semaphores[blockIdx.y * gridDim.x + blockIdx.x];
    const bool first = blockIdx.z == 0, last = blockIdx.z == gridDim.z - 1;
    if (!first) {
        if (t == 0) {
            int state;
            do asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(state) : "l"(semaphore) : "memory");
            while (state != static_cast<int>(blockIdx.z));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            for (int half = 0; half < 2; ++half) {
                const int x = column + warp % 2 * 32 + j * 8 + lane % 4 * 2;
                const std::size_t at = static_cast<std::size_t>(row + warp / 2 * 32 + i * 16 + half * 8 + lane / 4) * n + x;
                float2 value = make_float2(sum[i][j][2 * half], sum[i][j][2 * half + 1]);
                if (!first) {
                    const float2 before = __ldcg(reinterpret_cast<const float2*>(&parts[at]));
                    value.x += before.x, value.y += before.y;
                }
                if (last)
                    *reinterpret_cast<__nv_bfloat162*>(&c[at]) = __floats2bfloat162_rn(value.x + bias[x], value.y + bias[x + 1]);
                else
                    *reinterpret_cast<float2*>(&parts[at]) = value;
            }
    __syncthreads();
    if (t == 0) {
        __threadfence();
        asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(semaphore), "r"(last ? 0 : static_cast<int>(blockIdx.z) + 1) : "memory");
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int depth = app.size(1024, 4096), m = 128, n = 512, parts = 4;
    auto ia = app::integers(static_cast<std::size_t>(m) * depth, 1, 9), ib = app::integers(static_cast<std::size_t>(n) * depth, 2, 9);
    auto fb = app::floats(n, 3);
    std::vector<__nv_bfloat16> a, b;
    for (uint32_t value : ia) a.push_back(__float2bfloat16(static_cast<float>(value) - 4));
    for (uint32_t value : ib) b.push_back(__float2bfloat16(static_cast<float>(value) - 4));
    app::Buffer<__nv_bfloat16> da(a), db(b), dc(static_cast<std::size_t>(m) * n);
    app::Buffer<float> work(static_cast<std::size_t>(m) * n), bias(fb);
    app::Buffer<int> semaphores(static_cast<std::size_t>(m / kTile) * (n / kTile));
    semaphores.clear();
    const int bytes = 2 * kStages * static_cast<int>(sizeof(Tile));
    CUDA_OK(cudaFuncSetAttribute(splitk_gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    splitk_gemm<<<dim3(n / kTile, m / kTile, parts), 128, bytes>>>(da.get(), db.get(), work.get(), dc.get(), bias.get(), semaphores.get(), n, depth);
    bench::finish();
    const auto result = dc.download();
    std::vector<float> got, want;
    for (int at = 0; at < m * n; at += 37) {
        int sum = 0;
        for (int k = 0; k < depth; ++k)
            sum += (static_cast<int>(ia[static_cast<std::size_t>(at / n) * depth + k]) - 4) * (static_cast<int>(ib[static_cast<std::size_t>(at % n) * depth + k]) - 4);
        got.push_back(__bfloat162float(result[at])), want.push_back(static_cast<float>(sum) + fb[at % n]);
    }
    app.check(got, want, 5e-3);
    return app.finish();
}
