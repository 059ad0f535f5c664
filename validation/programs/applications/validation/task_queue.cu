// SPDX-License-Identifier: Apache-2.0
//
// Persistent blocks take rows of uneven length from a queue, groups of 8 lanes sum them, and a lock with growing naps guards a list of the largest.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../app.h"

namespace cg = cooperative_groups;
constexpr int kRows = 32, kLargest = 16;

struct Shared {
    int ticket, lock, count;
    int sums[kLargest];
};

__global__ void __launch_bounds__(256) task_queue(const int* values, const int* begin, int* sums, Shared* shared, int rows) {
    __shared__ int first;
    auto block = cg::this_thread_block();
    auto group = cg::tiled_partition<8>(block);
    for (;;) {
        if (block.thread_rank() == 0) first = atomicAdd(&shared->ticket, kRows);
        block.sync();
        const int row = first + static_cast<int>(group.meta_group_rank());
        block.sync();
        if (first >= rows) return;
        if (row >= rows) continue;
        int sum = 0;
        for (int i = begin[row] + static_cast<int>(group.thread_rank()); i < begin[row + 1]; i += 8) sum += values[i];
        sum = cg::reduce(group, sum, cg::plus<int>());
        if (group.thread_rank() != 0) continue;
        sums[row] = sum;
        if (sum < 2150) continue;
        for (int nap = 32; atomicCAS(&shared->lock, 0, 1) != 0; nap = min(2 * nap, 1024)) __nanosleep(nap);
        __threadfence();
        volatile Shared* list = shared;
        int at = list->count;
        if (at < kLargest || list->sums[kLargest - 1] < sum) {
            if (at < kLargest) list->count = at + 1;
            else at = kLargest - 1;
            for (; at > 0 && list->sums[at - 1] < sum; --at) list->sums[at] = list->sums[at - 1];
            list->sums[at] = sum;
        }
        __threadfence();
        atomicExch(&shared->lock, 0);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(4096, 32768);
    std::vector<int> begin = {0}, values;
    for (uint32_t length : app::integers(rows, 1, 64)) begin.push_back(begin.back() + static_cast<int>(length));
    for (uint32_t value : app::integers(begin.back(), 2, 72)) values.push_back(static_cast<int>(value));
    app::Buffer<int> dv(values), db(begin), sums(rows);
    app::Buffer<Shared> shared(1);
    shared.clear();
    task_queue<<<132, 256>>>(dv.get(), db.get(), sums.get(), shared.get(), rows);
    bench::finish();
    std::vector<int> want;
    for (int row = 0; row < rows; ++row) {
        want.push_back(0);
        for (int i = begin[row]; i < begin[row + 1]; ++i) want.back() += values[i];
    }
    app.check(sums.download(), want, 0);
    std::sort(want.rbegin(), want.rend());
    const Shared result = shared.download()[0];
    std::vector<int> large(result.sums, result.sums + std::min(result.count, kLargest));
    while (want.size() > kLargest || (!want.empty() && want.back() < 2150)) want.pop_back();
    app.check(large, want, 0);
    return app.finish();
}
