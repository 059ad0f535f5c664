// SPDX-License-Identifier: Apache-2.0
//
// The cheapest way down a grid, some rows per launch: a row of shared memory, whose ends wear away.
#include "../app.h"

constexpr int kThreads = 256, kRows = 16;

__global__ void pathfinder(const int* wall, const int* in, int* out, int columns, int first, int rows) {
    __shared__ int previous[kThreads], result[kThreads];
    const int tx = threadIdx.x, x = static_cast<int>(blockIdx.x) * (kThreads - 2 * kRows) - kRows + tx;
    const bool valid = x >= 0 && x < columns;
    if (valid) previous[tx] = in[x];
    __syncthreads();
    for (int i = 0; i < rows; ++i) {
        const bool inside = tx >= i + 1 && tx <= kThreads - 2 - i && valid;
        if (inside) {
            const int left = x == 0 ? tx : tx - 1, right = x == columns - 1 ? tx : tx + 1;
            result[tx] = min(min(previous[left], previous[tx]), previous[right]) + wall[(first + i) * columns + x];
        }
        __syncthreads();
        if (inside) previous[tx] = result[tx];
        __syncthreads();
    }
    if (tx >= kRows && tx < kThreads - kRows && valid) out[x] = previous[tx];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int columns = app.size(20000, 200000), rows = 64;
    auto raw = app::integers(static_cast<std::size_t>(rows) * columns, 1, 10);
    std::vector<int> wall(raw.begin(), raw.end()), want(wall.begin(), wall.begin() + columns);
    app::Buffer<int> dwall(wall), a(want), b(want.size());
    int first = 1;
    for (; first < rows; first += kRows) {
        pathfinder<<<app::blocks(columns, kThreads - 2 * kRows), kThreads>>>(dwall.get(), a.get(), b.get(), columns, first,
                                                                             std::min(kRows, rows - first));
        bench::finish();
        CUDA_OK(cudaMemcpy(a.get(), b.get(), columns * sizeof(int), cudaMemcpyDeviceToDevice));
    }
    for (int r = 1; r < rows; ++r) {
        std::vector<int> next(want.size());
        for (int x = 0; x < columns; ++x)
            next[x] = std::min({want[std::max(x - 1, 0)], want[x], want[std::min(x + 1, columns - 1)]}) + wall[r * columns + x];
        want = next;
    }
    app.check(a.download(), want, 0);
    return app.finish();
}
