// SPDX-License-Identifier: Apache-2.0
//
// C = A B of bytes with dp4a: tiles of 32 by 32 by 32 in shared memory, two by two results of a thread.
#include "../app.h"

constexpr int kTile = 32;

__global__ void gemm_int8(const int* a, const int* b, int* c, int n) {
    __shared__ int as[kTile][kTile / 4 + 1], bs[kTile][kTile / 4 + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, words = n / 4;
    const int row = static_cast<int>(blockIdx.y) * kTile, column = static_cast<int>(blockIdx.x) * kTile;
    const int load = ty * 16 + tx, lr = load / 8, lc = load % 8;
    int sum[2][2] = {};
    for (int k = 0; k < words; k += kTile / 4) {
        as[lr][lc] = a[(row + lr) * words + k + lc];
        bs[lr][lc] = b[(column + lr) * words + k + lc];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kTile / 4; ++i)
            for (int y = 0; y < 2; ++y)
                for (int x = 0; x < 2; ++x) sum[y][x] = __dp4a(as[ty + 16 * y][i], bs[tx + 16 * x][i], sum[y][x]);
        __syncthreads();
    }
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x) c[(row + ty + 16 * y) * n + column + tx + 16 * x] = sum[y][x];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(256, 768);
    auto a = app::integers(static_cast<std::size_t>(n) * n / 4, 1, 0xffffffffu), b = app::integers(static_cast<std::size_t>(n) * n / 4, 2, 0xffffffffu);
    app::Buffer<uint32_t> da(a), db(b);
    app::Buffer<int> dc(static_cast<std::size_t>(n) * n);
    gemm_int8<<<dim3(n / kTile, n / kTile), dim3(16, 16)>>>(reinterpret_cast<int*>(da.get()), reinterpret_cast<int*>(db.get()), dc.get(), n);
    bench::finish();
    auto got = dc.download();
    std::vector<int> have, want;
    const auto* pa = reinterpret_cast<const int8_t*>(a.data());
    const auto* pb = reinterpret_cast<const int8_t*>(b.data());
    for (int i = 0; i < n; i += 7)
        for (int j = 0; j < n; j += 5) {
            int sum = 0;
            for (int k = 0; k < n; ++k) sum += pa[i * n + k] * pb[j * n + k];
            have.push_back(got[static_cast<std::size_t>(i) * n + j]);
            want.push_back(sum);
        }
    app.check(have, want, 0);
    return app.finish();
}
