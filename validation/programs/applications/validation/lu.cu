// SPDX-License-Identifier: Apache-2.0
//
// LU decomposition without pivoting, in place, in tiles of 16: the diagonal tile, those beside and below it, and the rest.
#include "../app.h"

constexpr int kTile = 16;

__global__ void lu_diagonal(float* m, int n, int offset) {
    __shared__ float tile[kTile][kTile + 1];
    const int tx = static_cast<int>(threadIdx.x);
    for (int i = 0; i < kTile; ++i) tile[i][tx] = m[(offset + i) * n + offset + tx];
    __syncthreads();
    for (int k = 0; k < kTile - 1; ++k) {
        if (tx > k) {
            float factor = tile[tx][k];
            for (int j = 0; j < k; ++j) factor -= tile[tx][j] * tile[j][k];
            tile[tx][k] = factor / tile[k][k];
        }
        __syncthreads();
        if (tx > k) {
            float value = tile[k + 1][tx];
            for (int j = 0; j <= k; ++j) value -= tile[k + 1][j] * tile[j][tx];
            tile[k + 1][tx] = value;
        }
        __syncthreads();
    }
    for (int i = 1; i < kTile; ++i) m[(offset + i) * n + offset + tx] = tile[i][tx];
}

__global__ void lu_perimeter(float* m, int n, int offset) {
    __shared__ float diagonal[kTile][kTile], row[kTile][kTile], column[kTile][kTile];
    const int lane = static_cast<int>(threadIdx.x) % kTile;
    const int away = offset + (static_cast<int>(blockIdx.x) + 1) * kTile;
    const bool first = threadIdx.x < kTile;
    if (first) {
        for (int i = 0; i < kTile / 2; ++i) diagonal[i][lane] = m[(offset + i) * n + offset + lane];
        for (int i = 0; i < kTile; ++i) row[i][lane] = m[(offset + i) * n + away + lane];
    } else {
        for (int i = kTile / 2; i < kTile; ++i) diagonal[i][lane] = m[(offset + i) * n + offset + lane];
        for (int i = 0; i < kTile; ++i) column[i][lane] = m[(away + i) * n + offset + lane];
    }
    __syncthreads();
    if (first) {
        for (int i = 1; i < kTile; ++i)
            for (int j = 0; j < i; ++j) row[i][lane] -= diagonal[i][j] * row[j][lane];
    } else {
        for (int i = 0; i < kTile; ++i) {
            for (int j = 0; j < i; ++j) column[lane][i] -= column[lane][j] * diagonal[j][i];
            column[lane][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (first)
        for (int i = 1; i < kTile; ++i) m[(offset + i) * n + away + lane] = row[i][lane];
    else
        for (int i = 0; i < kTile; ++i) m[(away + i) * n + offset + lane] = column[i][lane];
}

__global__ void lu_internal(float* m, int n, int offset) {
    __shared__ float row[kTile][kTile], column[kTile][kTile];
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    const int y = offset + (static_cast<int>(blockIdx.y) + 1) * kTile + ty, x = offset + (static_cast<int>(blockIdx.x) + 1) * kTile + tx;
    row[ty][tx] = m[(offset + ty) * n + x];
    column[ty][tx] = m[y * n + offset + tx];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < kTile; ++k) sum += column[ty][k] * row[k][tx];
    m[y * n + x] -= sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(64, 256);
    auto a = app::floats(static_cast<std::size_t>(n) * n, 1);
    for (int i = 0; i < n; ++i) a[i * n + i] += static_cast<float>(n);
    app::Buffer<float> m(a);
    for (int offset = 0; offset < n; offset += kTile) {
        const unsigned rest = static_cast<unsigned>((n - offset) / kTile - 1);
        lu_diagonal<<<1, kTile>>>(m.get(), n, offset);
        bench::finish();
        if (rest == 0) break;
        lu_perimeter<<<rest, 2 * kTile>>>(m.get(), n, offset);
        bench::finish();
        lu_internal<<<dim3(rest, rest), dim3(kTile, kTile)>>>(m.get(), n, offset);
        bench::finish();
    }
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i) {
            a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    app.check(m.download(), a, 1e-3);
    return app.finish();
}
