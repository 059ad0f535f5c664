// SPDX-License-Identifier: Apache-2.0
//
// C = A B in double precision: 16 x 16 tiles in shared memory, 2 x 2 results per thread.
#include "../app.h"

constexpr int kTile = 32, kDepth = 16;

__global__ void __launch_bounds__(256) dgemm(const double* a, const double* b, double* c, int n) {
    __shared__ double left[kDepth][kTile + 1], right[kDepth][kTile];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
    double sum[2][2] = {};
    for (int step = 0; step < n; step += kDepth) {
        for (int i = threadIdx.x; i < kTile * kDepth; i += 256) {
            left[i % kDepth][i / kDepth] = a[(row + i / kDepth) * n + step + i % kDepth];
            right[i / kTile][i % kTile] = b[(step + i / kTile) * n + column + i % kTile];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kDepth; ++k)
            for (int y = 0; y < 2; ++y)
                for (int x = 0; x < 2; ++x) sum[y][x] += left[k][ty + 16 * y] * right[k][tx + 16 * x];
        __syncthreads();
    }
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x) c[(row + ty + 16 * y) * n + column + tx + 16 * x] = sum[y][x];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(128, 384);
    const auto count = static_cast<std::size_t>(n) * n;
    bench::Random random(7);
    std::vector<double> a(count), b(count), want(count);
    for (double& value : a) value = random.below(1000) / 500.0 - 1;
    for (double& value : b) value = random.below(1000) / 500.0 - 1;
    app::Buffer<double> da(a), db(b), dc(count);
    dgemm<<<dim3(n / kTile, n / kTile), 256>>>(da.get(), db.get(), dc.get(), n);
    bench::finish();
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            for (int j = 0; j < n; ++j) want[i * n + j] += a[i * n + k] * b[k * n + j];
    app.check(dc.download(), want, 1e-12);
    return app.finish();
}
