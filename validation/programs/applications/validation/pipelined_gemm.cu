// SPDX-License-Identifier: Apache-2.0
//
// C = A * B with TF32 tensor cores: tiles of 64x64 arrive by asynchronous copies, two stages ahead.
#include <cuda_pipeline.h>
#include <mma.h>

#include "../app.h"

constexpr int kTile = 64, kDepth = 16, kStages = 3;
using namespace nvcuda;

__global__ void __launch_bounds__(128) gemm_tf32(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) float as[kStages][kTile][kDepth + 4];
    __shared__ __align__(16) float bs[kStages][kDepth][kTile + 4];
    const int t = threadIdx.x, row = blockIdx.y * kTile, column = blockIdx.x * kTile, warp = t / 32;
    auto fetch = [&](int stage, int k) {
        for (int i = t; i < kTile * kDepth / 4; i += 128) {
            __pipeline_memcpy_async(&as[stage][i / 4][i % 4 * 4], &a[(row + i / 4) * n + k + i % 4 * 4], 16);
            __pipeline_memcpy_async(&bs[stage][i / 16][i % 16 * 4], &b[(k + i / 16) * n + column + i % 16 * 4], 16);
        }
    };
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum[2][2];
    for (auto& line : sum)
        for (auto& one : line) wmma::fill_fragment(one, 0.0f);
    for (int s = 0; s < kStages - 1; ++s) fetch(s, s * kDepth), __pipeline_commit();
    for (int step = 0; step < n / kDepth; ++step) {
        __pipeline_wait_prior(kStages - 2);
        __syncthreads();
        if (step + kStages - 1 < n / kDepth) fetch((step + kStages - 1) % kStages, (step + kStages - 1) * kDepth);
        __pipeline_commit();
        const int s = step % kStages;
        for (int k = 0; k < kDepth; k += 8) {
            wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb[2];
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &as[s][warp / 2 * 32 + i * 16][k], kDepth + 4);
                wmma::load_matrix_sync(fb[i], &bs[s][k][warp % 2 * 32 + i * 16], kTile + 4);
            }
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
        }
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(&c[(row + warp / 2 * 32 + i * 16) * n + column + warp % 2 * 32 + j * 16], sum[i][j], n, wmma::mem_row_major);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(512, 1024);
    const auto count = static_cast<std::size_t>(n) * n;
    auto small = app::integers(count, 1, 9), other = app::integers(count, 2, 9);
    std::vector<float> a(count), b(count);
    for (std::size_t i = 0; i < count; ++i) a[i] = static_cast<float>(small[i]) - 4, b[i] = static_cast<float>(other[i]) - 4;
    app::Buffer<float> da(a), db(b), dc(count);
    const auto tiles = static_cast<unsigned>(n / kTile);
    gemm_tf32<<<dim3(tiles, tiles), 128>>>(da.get(), db.get(), dc.get(), n);
    bench::finish();
    auto got = dc.download();
    std::vector<float> some, want;
    for (std::size_t at = 0; at < count; at += 977) {
        float sum = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) sum += a[at / n * n + k] * b[k * n + at % n];
        some.push_back(got[at]), want.push_back(sum);
    }
    app.check(some, want, 1e-5);
    return app.finish();
}
