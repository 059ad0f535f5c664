// SPDX-License-Identifier: Apache-2.0
//
// C = A B on the tensor cores through wmma: FP16 in, FP32 out, 64x64 tiles of four warps staged in shared memory.
#include <cuda_fp16.h>
#include <mma.h>

#include "../app.h"

using namespace nvcuda;

__global__ void __launch_bounds__(128) hgemm_wmma(const half* a, const half* b, float* c, int n) {
    __shared__ half as[64][32 + 8];
    __shared__ half bs[32][64 + 8];
    int row0 = static_cast<int>(blockIdx.y) * 64;
    int column0 = static_cast<int>(blockIdx.x) * 64;
    int warp = static_cast<int>(threadIdx.x) / 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
    for (auto& fragment : sum) wmma::fill_fragment(fragment, 0.0f);
    for (int base = 0; base < n; base += 32) {
        for (int i = static_cast<int>(threadIdx.x); i < 64 * 4; i += 128) {
            *reinterpret_cast<uint4*>(&as[i / 4][i % 4 * 8]) =
                *reinterpret_cast<const uint4*>(&a[(row0 + i / 4) * n + base + i % 4 * 8]);
            *reinterpret_cast<uint4*>(&bs[i / 8][i % 8 * 8]) =
                *reinterpret_cast<const uint4*>(&b[(base + i / 8) * n + column0 + i % 8 * 8]);
        }
        __syncthreads();
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> u;
            wmma::load_matrix_sync(u, &as[warp * 16][k], 40);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> v;
                wmma::load_matrix_sync(v, &bs[k][j * 16], 72);
                wmma::mma_sync(sum[j], u, v, sum[j]);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) {
        wmma::store_matrix_sync(&c[(row0 + warp * 16) * n + column0 + j * 16], sum[j], n, wmma::mem_row_major);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(512, 1536);
    auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    auto a = app::floats(count, 21);
    auto b = app::floats(count, 22);
    std::vector<half> ha(count), hb(count);
    for (std::size_t i = 0; i < count; ++i) {
        ha[i] = __float2half(a[i]);
        hb[i] = __float2half(b[i]);
    }
    app::Buffer<half> da(ha), db(hb);
    app::Buffer<float> dc(count);
    hgemm_wmma<<<dim3(static_cast<unsigned>(n / 64), static_cast<unsigned>(n / 64)), 128>>>(da.get(), db.get(), dc.get(), n);
    bench::finish();
    std::vector<float> all = dc.download();
    std::vector<float> got;
    std::vector<float> want;
    for (int i = 0; i < n; i += 61) {
        for (int j = 0; j < n; j += 67) {
            double sum = 0;
            for (int k = 0; k < n; ++k) {
                sum += static_cast<double>(__half2float(ha[static_cast<std::size_t>(i * n + k)])) *
                       __half2float(hb[static_cast<std::size_t>(k * n + j)]);
            }
            got.push_back(all[static_cast<std::size_t>(i * n + j)]);
            want.push_back(static_cast<float>(sum));
        }
    }
    app.check(got, want, 1e-3);
    return app.finish();
}
