// SPDX-License-Identifier: Apache-2.0
//
// Counts the solutions of the n queens problem below given first rows: divergent loops over a stack in local memory.
#include "../app.h"

__global__ void queens(const uint4* starts, uint32_t* solutions, int n, int count) {
    const int i = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x);
    if (i >= count) return;
    const uint4 start = starts[i];
    const uint32_t all = (1u << n) - 1;
    uint32_t columns[16], left[16], right[16], open[16];
    int row = 0;
    const int rows = n - static_cast<int>(start.w);
    columns[0] = start.x;
    left[0] = start.y;
    right[0] = start.z;
    open[0] = all & ~(start.x | start.y | start.z);
    uint32_t found = 0;
    while (row >= 0) {
        const uint32_t free = open[row];
        if (free == 0) {
            --row;
            continue;
        }
        const uint32_t bit = free & (0u - free);
        open[row] = free ^ bit;
        if (row + 1 == rows) {
            ++found;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        left[row + 1] = (left[row] | bit) << 1 & all;
        right[row + 1] = (right[row] | bit) >> 1;
        ++row;
        open[row] = all & ~(columns[row] | left[row] | right[row]);
    }
    solutions[i] = found;
}

static uint32_t count(uint32_t columns, uint32_t left, uint32_t right, int rows, uint32_t all) {
    if (rows == 0) return 1;
    uint32_t sum = 0;
    for (uint32_t open = all & ~(columns | left | right); open != 0;) {
        const uint32_t bit = open & (0u - open);
        open ^= bit;
        sum += count(columns | bit, (left | bit) << 1 & all, (right | bit) >> 1, rows - 1, all);
    }
    return sum;
}

static void collect(std::vector<uint32_t>& starts, uint32_t columns, uint32_t left, uint32_t right, int rows, int n) {
    const uint32_t all = (1u << n) - 1;
    if (rows == 3) {
        for (uint32_t value : {columns, left, right, 3u}) starts.push_back(value);
        return;
    }
    for (uint32_t open = all & ~(columns | left | right); open != 0;) {
        const uint32_t bit = open & (0u - open);
        open ^= bit;
        collect(starts, columns | bit, (left | bit) << 1 & all, (right | bit) >> 1, rows + 1, n);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(8, 10);
    std::vector<uint32_t> starts;
    collect(starts, 0, 0, 0, 0, n);
    const int threads = static_cast<int>(starts.size() / 4);
    std::vector<uint32_t> want;
    for (int i = 0; i < threads; ++i)
        want.push_back(count(starts[i * 4], starts[i * 4 + 1], starts[i * 4 + 2], n - 3, (1u << n) - 1));
    app::Buffer<uint32_t> ds(starts), dn(want.size());
    queens<<<app::blocks(threads, 64), 64>>>(reinterpret_cast<const uint4*>(ds.get()), dn.get(), n, threads);
    bench::finish();
    app.check(dn.download(), want, 0);
    return app.finish();
}
