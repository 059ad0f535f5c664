// SPDX-License-Identifier: Apache-2.0
//
// C = A B of bytes on tensor cores with roles: one warp copies tiles into a ring of four, four warps multiply; they meet at barriers in shared memory.
#include <cuda/barrier>
#include <cuda/pipeline>

#include "../app.h"

#pragma nv_diag_suppress static_var_with_dynamic_init    // barriers in shared memory, initialised by init()
constexpr int kTile = 64, kDepth = 64, kStages = 4, kPitch = kDepth + 16, kThreads = 160;

struct Stage {
    int8_t a[kTile][kPitch], b[kTile][kPitch];
};

__device__ void multiply(int (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ void load(uint32_t (&r)[4], const int8_t* at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(at))));
}

// a is m x depth, b is n x depth; results are scaled to bytes.
__global__ void __launch_bounds__(kThreads) specialised_gemm(const int8_t* a, const int8_t* b, int8_t* c, float scale, int n, int depth) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto* stages = reinterpret_cast<Stage*>(memory);
    __shared__ cuda::barrier<cuda::thread_scope_block> full[kStages], empty[kStages];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, row = blockIdx.y * kTile, column = blockIdx.x * kTile, steps = depth / kDepth;
    if (t < kStages) {
        init(&full[t], 32 + 128);
        init(&empty[t], 32 + 128);
    }
    __syncthreads();
    if (warp == 4) {
        for (int step = 0; step < steps; ++step) {
            auto& stage = stages[step % kStages];
            if (step >= kStages) empty[step % kStages].arrive_and_wait();
            for (int i = lane; i < kTile * kDepth / 16; i += 32) {
                const int r = i / 4, k = step * kDepth + i % 4 * 16;
                cuda::memcpy_async(&stage.a[r][i % 4 * 16], &a[(row + r) * depth + k], cuda::aligned_size_t<16>(16), full[step % kStages]);
                cuda::memcpy_async(&stage.b[r][i % 4 * 16], &b[(column + r) * depth + k], cuda::aligned_size_t<16>(16), full[step % kStages]);
            }
            (void)full[step % kStages].arrive();
        }
        return;
    }
    int sum[2][4][4] = {};
    for (int step = 0; step < steps; ++step) {
        const auto& stage = stages[step % kStages];
        full[step % kStages].arrive_and_wait();
#pragma unroll
        for (int k = 0; k < kDepth; k += 32) {
            uint32_t fa[2][4], fb[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                load(fa[i], &stage.a[warp / 2 * 32 + i * 16 + lane % 16][k + lane / 16 * 16]);
                load(fb[i], &stage.b[warp % 2 * 32 + i * 16 + lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 16]);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) multiply(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
        }
        if (step + kStages < steps) (void)empty[step % kStages].arrive();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            for (int half = 0; half < 2; ++half) {
                char2 two;
                two.x = static_cast<signed char>(max(-128, min(127, __float2int_rn(static_cast<float>(sum[i][j][2 * half]) * scale))));
                two.y = static_cast<signed char>(max(-128, min(127, __float2int_rn(static_cast<float>(sum[i][j][2 * half + 1]) * scale))));
                *reinterpret_cast<char2*>(&c[(row + warp / 2 * 32 + i * 16 + half * 8 + lane / 4) * n + column + warp % 2 * 32 + j * 8 + lane % 4 * 2]) = two;
            }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(512, 1024), depth = n;
    const auto count = static_cast<std::size_t>(n) * depth;
    std::vector<int8_t> a, b;
    for (uint32_t value : app::integers(count, 1, 256)) a.push_back(static_cast<int8_t>(value));
    for (uint32_t value : app::integers(count, 2, 256)) b.push_back(static_cast<int8_t>(value));
    app::Buffer<int8_t> da(a), db(b), dc(static_cast<std::size_t>(n) * n);
    const int bytes = kStages * static_cast<int>(sizeof(Stage));
    CUDA_OK(cudaFuncSetAttribute(specialised_gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    specialised_gemm<<<dim3(n / kTile, n / kTile), kThreads, bytes>>>(da.get(), db.get(), dc.get(), 1.0f / 4096, n, depth);
    bench::finish();
    const auto result = dc.download();
    std::vector<int> got, want;
    for (int at = 0; at < n * n; at += 61) {
        int sum = 0;
        for (int k = 0; k < depth; ++k) sum += a[static_cast<std::size_t>(at / n) * depth + k] * b[static_cast<std::size_t>(at % n) * depth + k];
        got.push_back(result[at]);
        want.push_back(std::max(-128, std::min(127, static_cast<int>(std::nearbyint(static_cast<float>(sum) / 4096)))));
    }
    app.check(got, want, 0);
    return app.finish();
}
