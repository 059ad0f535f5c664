// SPDX-License-Identifier: Apache-2.0
//
// C = A B on the tensor cores through wmma: FP16 in, FP32 out. Each warp multiplies a tile of 16x16 and reads both operands from
// global memory, so that a load of a fragment touches 8 or 16 lines.
#include <cuda_fp16.h>
#include <mma.h>

#include "../app.h"

using namespace nvcuda;

constexpr int kTile = 16;

__global__ void wmma_global(const half* a, const half* b, float* c, int n) {
    const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * kTile;
    const int column = static_cast<int>(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * kTile;
    wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major> u;
    wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::row_major> v;
    wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += kTile) {
        wmma::load_matrix_sync(u, a + row * n + k, static_cast<unsigned>(n));
        wmma::load_matrix_sync(v, b + k * n + column, static_cast<unsigned>(n));
        wmma::mma_sync(sum, u, v, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, static_cast<unsigned>(n), wmma::mem_row_major);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(768, 1280);  // a multiple of 64
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const auto a = app::floats(count, 120);
    const auto b = app::floats(count, 121);
    std::vector<half> ha(count), hb(count);
    for (std::size_t i = 0; i < count; ++i) {
        ha[i] = __float2half(a[i]);
        hb[i] = __float2half(b[i]);
    }
    app::Buffer<half> da(ha), db(hb);
    app::Buffer<float> dc(count);
    const auto blocks = static_cast<unsigned>(n / 64);
    wmma_global<<<dim3(blocks, blocks), dim3(128, 4)>>>(da.get(), db.get(), dc.get(), n);
    bench::finish();
    const std::vector<float> all = dc.download();
    std::vector<float> got, want;
    for (int i = 0; i < n; i += 59) {
        for (int j = 0; j < n; j += 61) {
            double sum = 0;
            for (int k = 0; k < n; ++k)
                sum += static_cast<double>(__half2float(ha[static_cast<std::size_t>(i * n + k)])) *
                       __half2float(hb[static_cast<std::size_t>(k * n + j)]);
            got.push_back(all[static_cast<std::size_t>(i * n + j)]);
            want.push_back(static_cast<float>(sum));
        }
    }
    app.check(got, want, 1e-3);
    return app.finish();
}
