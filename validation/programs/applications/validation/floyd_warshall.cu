// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths between all pairs, in tiles: for each tile of the diagonal itself, its row and column, and all others.
#include "../app.h"

constexpr int kTile = 32, kRows = 8;

__global__ void fw_diagonal(int* d, int n, int k) {
    __shared__ int tile[kTile][kTile];
    const int x = static_cast<int>(threadIdx.x), first = k * kTile;
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kRows) tile[y][x] = d[(first + y) * n + first + x];
    __syncthreads();
    for (int m = 0; m < kTile; ++m) {
        for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kRows) tile[y][x] = min(tile[y][x], tile[y][m] + tile[m][x]);
        __syncthreads();
    }
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kRows) d[(first + y) * n + first + x] = tile[y][x];
}

__global__ void fw_cross(int* d, int n, int k) {
    __shared__ int pivot[kTile][kTile], tile[kTile][kTile];
    const bool column = blockIdx.y != 0;
    const int other = static_cast<int>(blockIdx.x) + (static_cast<int>(blockIdx.x) >= k ? 1 : 0);
    const int x = static_cast<int>(threadIdx.x), first = k * kTile;
    const int row = column ? other * kTile : first, left = column ? first : other * kTile;
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kRows) {
        pivot[y][x] = d[(first + y) * n + first + x];
        tile[y][x] = d[(row + y) * n + left + x];
    }
    __syncthreads();
    for (int m = 0; m < kTile; ++m) {
        for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kRows)
            tile[y][x] = min(tile[y][x], column ? tile[y][m] + pivot[m][x] : pivot[y][m] + tile[m][x]);
        __syncthreads();
    }
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kRows) d[(row + y) * n + left + x] = tile[y][x];
}

__global__ void fw_rest(int* d, int n, int k) {
    __shared__ int across[kTile][kTile], down[kTile][kTile];
    const int bx = static_cast<int>(blockIdx.x) + (static_cast<int>(blockIdx.x) >= k ? 1 : 0);
    const int by = static_cast<int>(blockIdx.y) + (static_cast<int>(blockIdx.y) >= k ? 1 : 0);
    const int x = static_cast<int>(threadIdx.x), first = k * kTile;
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kRows) {
        across[y][x] = d[(first + y) * n + bx * kTile + x];
        down[y][x] = d[(by * kTile + y) * n + first + x];
    }
    __syncthreads();
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kRows) {
        int best = d[(by * kTile + y) * n + bx * kTile + x];
        for (int m = 0; m < kTile; ++m) best = min(best, down[y][m] + across[m][x]);
        d[(by * kTile + y) * n + bx * kTile + x] = best;
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(128, 256), tiles = n / kTile;
    auto length = app::integers(static_cast<std::size_t>(n) * n, 1, 1000);
    std::vector<int> want(length.begin(), length.end());
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) want[i * n + j] = i == j ? 0 : want[i * n + j] < 300 ? want[i * n + j] + 1 : 1 << 20;
    app::Buffer<int> d(want);
    const dim3 block(kTile, kRows);
    for (int k = 0; k < tiles; ++k) {
        fw_diagonal<<<1, block>>>(d.get(), n, k);
        bench::finish();
        fw_cross<<<dim3(static_cast<unsigned>(tiles - 1), 2), block>>>(d.get(), n, k);
        bench::finish();
        fw_rest<<<dim3(static_cast<unsigned>(tiles - 1), static_cast<unsigned>(tiles - 1)), block>>>(d.get(), n, k);
        bench::finish();
    }
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) want[i * n + j] = std::min(want[i * n + j], want[i * n + k] + want[k * n + j]);
    app.check(d.download(), want, 0);
    return app.finish();
}
