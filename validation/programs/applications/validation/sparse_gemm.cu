// SPDX-License-Identifier: Apache-2.0
//
// C = A B where two of every four weights are zero: sparse tensor cores in half precision, packed by a kernel before; positions in two bits.
#include <cuda_fp16.h>

#include "../app.h"

constexpr int kTile = 64, kDepth = 64, kPitch = kDepth + 8;

// Keeps the two largest of every four; a thread for 16 values, whose positions are 16 bits.
__global__ void prune(const uint4* dense, uint2* kept, uint16_t* positions, int count) {
    const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (at >= count) return;
    uint32_t bits = 0;
    for (int part = 0; part < 2; ++part) {
        const uint4 raw = dense[2 * at + part];
        const auto* v = reinterpret_cast<const __half*>(&raw);
        uint2 out;
        auto* to = reinterpret_cast<__half*>(&out);
        for (int group = 0; group < 2; ++group) {
            int first = 0, second = 1;
            float best = -1;
            for (int i = 0; i < 4; ++i)
                for (int j = i + 1; j < 4; ++j) {
                    const float sum = fabsf(__half2float(v[4 * group + i])) + fabsf(__half2float(v[4 * group + j]));
                    if (sum > best) best = sum, first = i, second = j;
                }
            to[2 * group] = first == 0 ? v[4 * group] : first == 1 ? v[4 * group + 1] : v[4 * group + 2];
            to[2 * group + 1] = second == 1 ? v[4 * group + 1] : second == 2 ? v[4 * group + 2] : v[4 * group + 3];
            bits |= static_cast<uint32_t>(first | second << 2) << (8 * part + 4 * group);
        }
        kept[2 * at + part] = out;
    }
    positions[at] = static_cast<uint16_t>(bits);
}

__device__ void load(uint32_t (&r)[4], const __half* at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(at))));
}

// kept is m x depth/2, b is n x depth, positions m x depth/16.
__global__ void __launch_bounds__(128) sparse_gemm(const __half* kept, const uint16_t* positions, const __half* b, float* c, int n, int depth) {
    __shared__ __align__(16) __half as[kTile][kDepth / 2 + 8], bs[kTile][kPitch];
    __shared__ uint16_t ps[kTile][kDepth / 16];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, row = blockIdx.y * kTile, column = blockIdx.x * kTile;
    float sum[2][4][4] = {};
    for (int k = 0; k < depth; k += kDepth) {
        for (int i = t; i < kTile * kDepth / 16; i += 128)
            *reinterpret_cast<uint4*>(&as[i / 4][i % 4 * 8]) = *reinterpret_cast<const uint4*>(&kept[(row + i / 4) * (depth / 2) + k / 2 + i % 4 * 8]);
        for (int i = t; i < kTile * kDepth / 8; i += 128)
            *reinterpret_cast<uint4*>(&bs[i / 8][i % 8 * 8]) = *reinterpret_cast<const uint4*>(&b[(column + i / 8) * depth + k + i % 8 * 8]);
        for (int i = t; i < kTile * kDepth / 16; i += 128) ps[i / 4][i % 4] = positions[(row + i / 4) * (depth / 16) + k / 16 + i % 4];
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < kDepth; kk += 32) {
            uint32_t fa[2][4], meta[2];
            for (int i = 0; i < 2; ++i) {
                const int first = warp / 2 * 32 + i * 16;
                load(fa[i], &as[first + lane % 16][kk / 2 + lane / 16 * 8]);
                // Of four lanes the first two hold the positions: sixteen columns each, of this row and the eighth after it.
                const int r = first + lane / 4, p = kk / 16 + lane % 2;
                meta[i] = ps[r][p] | static_cast<uint32_t>(ps[r + 8][p]) << 16;
            }
            uint32_t low[4], high[4];
            for (int j = 0; j < 4; ++j) {
                load(j % 2 == 0 ? low : high, &bs[warp % 2 * 32 + j * 8 + lane % 8][kk + lane / 8 * 8]);
                const auto& from = j % 2 == 0 ? low : high;
                for (int i = 0; i < 2; ++i)
                    asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, "
                                 "{%0, %1, %2, %3}, %12, 0x0;"
                                 : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3]),
                                   "r"(meta[i]));
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            for (int half = 0; half < 2; ++half)
                *reinterpret_cast<float2*>(&c[(row + warp / 2 * 32 + i * 16 + half * 8 + lane / 4) * n + column + warp % 2 * 32 + j * 8 + lane % 4 * 2]) =
                    make_float2(sum[i][j][2 * half], sum[i][j][2 * half + 1]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int depth = app.size(512, 1024), m = depth / 2, n = depth / 2;
    std::vector<__half> a, b;
    for (uint32_t value : app::integers(static_cast<std::size_t>(m) * depth, 1, 17)) a.push_back(__float2half(static_cast<float>(value) - 8));
    for (uint32_t value : app::integers(static_cast<std::size_t>(n) * depth, 2, 9)) b.push_back(__float2half(static_cast<float>(value) - 4));
    app::Buffer<__half> da(a), db(b), kept(a.size() / 2);
    app::Buffer<uint16_t> positions(a.size() / 16);
    app::Buffer<float> dc(static_cast<std::size_t>(m) * n);
    const int sixteens = static_cast<int>(a.size() / 16);
    prune<<<app::blocks(sixteens, 128), 128>>>(reinterpret_cast<uint4*>(da.get()), reinterpret_cast<uint2*>(kept.get()), positions.get(), sixteens);
    bench::finish();
    sparse_gemm<<<dim3(n / kTile, m / kTile), 128>>>(kept.get(), positions.get(), db.get(), dc.get(), n, depth);
    bench::finish();
    std::vector<float> pruned(a.size());
    for (std::size_t at = 0; at < a.size(); at += 4) {
        float best = -1;
        std::size_t first = 0, second = 1;
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j) {
                const float sum = std::fabs(__half2float(a[at + i])) + std::fabs(__half2float(a[at + j]));
                if (sum > best) best = sum, first = i, second = j;
            }
        pruned[at + first] = __half2float(a[at + first]), pruned[at + second] = __half2float(a[at + second]);
    }
    const auto result = dc.download();
    std::vector<float> got, want;
    for (int at = 0; at < m * n; at += 23) {
        float sum = 0;
        for (int k = 0; k < depth; ++k) sum += pruned[static_cast<std::size_t>(at / n) * depth + k] * __half2float(b[static_cast<std::size_t>(at % n) * depth + k]);
        got.push_back(result[at]), want.push_back(sum);
    }
    app.check(got, want, 0);
    return app.finish();
}
