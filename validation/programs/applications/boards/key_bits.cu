// SPDX-License-Identifier: Apache-2.0
//
// A step of a radix sort by single bits: indices, the sum of each block's zeros, their scan, and the scatter of keys and indices.
// A batch of keys is sorted by the blocks of one z.
#include "../volta-turing/row.h"

namespace {

constexpr int kThreads = 1024, kLanes = 32, kBatches = 256;
using Word = unsigned;

__global__ void init_indices(Word* __restrict__ indices, int n) {
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    Word* mine = indices + static_cast<int>(blockIdx.z) * n;
    if (i < n) mine[i] = static_cast<Word>(i);
}

__device__ __forceinline__ int scan_of_warp(int value) {
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    for (int apart = kLanes / 2; apart > 0; apart >>= 1) {
        const int other = __shfl_up_sync(0xffffffffu, value, apart);
        if (lane >= apart) value += other;
    }
    return value;
}

/// Inclusive scan of a block; `total` is set in lane 31 of the first warp alone.
__device__ __forceinline__ int scan_of_block(int value, int& total) {
    __shared__ int sums[kThreads / kLanes];
    const int thread = static_cast<int>(threadIdx.x), warp = thread / kLanes, lane = thread % kLanes;
    const int sum = scan_of_warp(value);
    if (lane == kLanes - 1) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        value = sums[lane];
        const int all = scan_of_warp(value);
        sums[lane] = all - value;
        if (lane == kLanes - 1) total = all;
    }
    __syncthreads();
    return sum + sums[warp];
}

__global__ void prefix_per_block(Word* keys, Word* block_sums, int bit, int n) {
    const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x), batch = static_cast<int>(blockIdx.z);
    const Word* mine = keys + batch * n;
    const int i = block * kThreads + thread;
    int zero = 0;
    if (i < n) zero = 1 - static_cast<int>((mine[i] >> bit) & 1);
    int total = 0;
    scan_of_block(zero, total);
    if (thread == kLanes - 1) block_sums[batch * ((n + kThreads - 1) / kThreads) + block] = static_cast<Word>(total);
}

/// Exclusive scan of the sums of a batch's blocks, and their sum.
__global__ void scan_sums(const Word* block_sums, Word* offsets, Word* totals, int blocks, int batches) {
    __shared__ Word sums[kThreads];
    const int thread = static_cast<int>(threadIdx.x), batch = static_cast<int>(blockIdx.z);
    if (batch >= batches) return;
    const Word own = thread < blocks ? block_sums[batch * blocks + thread] : 0;
    sums[thread] = own;
    __syncthreads();
    for (int apart = 1; apart < kThreads; apart <<= 1) {
        const Word other = thread >= apart ? sums[thread - apart] : 0;
        __syncthreads();
        sums[thread] += other;
        __syncthreads();
    }
    if (thread < blocks) offsets[batch * blocks + thread] = sums[thread] - own;
    if (thread == kThreads - 1) totals[batch] = sums[thread];
}

__global__ void scatter(Word* keys, Word* out, Word* indices, Word* out_indices, Word* offsets, Word* totals, int bit, int n) {
    const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x), batch = static_cast<int>(blockIdx.z);
    const Word* mine = keys + batch * n;
    const int i = block * kThreads + thread;
    const Word zeros = totals[batch];
    int zero = 0;
    if (i < n) zero = 1 - static_cast<int>((mine[i] >> bit) & 1);
    int total = 0;
    const int before = scan_of_block(zero, total) + static_cast<int>(offsets[batch * ((n + kThreads - 1) / kThreads) + block]);
    if (i >= n) return;
    const Word key = mine[i], index = indices[batch * n + i];
    const int at = (key >> bit) & 1 ? static_cast<int>(zeros) + i - before : before - 1;
    out[batch * n + at] = key;
    out_indices[batch * n + at] = index;
}

/// Zeros up to and including each key of its batch, beginning anew at each block.
std::vector<int> zeros_in_block(const std::vector<Word>& keys, int n, int bit) {
    std::vector<int> out(keys.size());
    int sum = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i % static_cast<std::size_t>(n) % kThreads == 0) sum = 0;
        out[i] = sum += (keys[i] >> bit & 1) == 0;
    }
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "init_indices", 32768);
    const int n = options.n, bit = 0, blocks = static_cast<int>(row::blocks(n, kThreads));
    const auto size = static_cast<std::size_t>(n) * kBatches;
    const dim3 grid(static_cast<unsigned>(blocks), 1, kBatches);
    std::vector<Word> keys = app::integers(size, 7, 1000), index(size);
    for (Word& key : keys) ++key;
    for (std::size_t i = 0; i < size; ++i) index[i] = static_cast<Word>(i % static_cast<std::size_t>(n));
    const std::vector<int> zeros = zeros_in_block(keys, n, bit);
    std::vector<Word> sums(static_cast<std::size_t>(blocks) * kBatches), starts(sums.size()), totals(kBatches);
    for (std::size_t at = 0; at < sums.size(); ++at) {
        const std::size_t batch = at / static_cast<std::size_t>(blocks), block = at % static_cast<std::size_t>(blocks);
        const std::size_t end = std::min<std::size_t>((block + 1) * kThreads, static_cast<std::size_t>(n));
        sums[at] = static_cast<Word>(zeros[batch * static_cast<std::size_t>(n) + end - 1]);
        starts[at] = totals[batch];
        totals[batch] += sums[at];
    }
    row::Buffer<Word> out(size), out_indices(size);
    if (options.is("init_indices")) {
        init_indices<<<grid, kThreads>>>(out.get(), n);
        bench::finish();
        app.check(out.download(), index, 0);
    } else if (options.is("prefix_per_block")) {
        row::Buffer<Word> in(keys), block_sums(sums.size());
        prefix_per_block<<<grid, kThreads>>>(in.get(), block_sums.get(), bit, n);
        bench::finish();
        app.check(block_sums.download(), sums, 0);
    } else if (options.is("scan_sums")) {
        row::Buffer<Word> in(sums), offsets(sums.size()), all(totals.size());
        scan_sums<<<dim3(1, 1, kBatches), kThreads>>>(in.get(), offsets.get(), all.get(), blocks, kBatches);
        bench::finish();
        app.check(offsets.download(), starts, 0);
        app.check(all.download(), totals, 0);
    } else if (options.is("scatter")) {
        row::Buffer<Word> in(keys), indices(index), offsets(starts), all(totals);
        scatter<<<grid, kThreads>>>(in.get(), out.get(), indices.get(), out_indices.get(), offsets.get(), all.get(), bit, n);
        bench::finish();
        std::vector<Word> want(size), want_indices(size);
        for (std::size_t batch = 0, i = 0; batch < kBatches; ++batch) {
            Word zero = 0, one = totals[batch];
            for (int k = 0; k < n; ++k, ++i) {
                const std::size_t at = batch * static_cast<std::size_t>(n) + ((keys[i] >> bit & 1) != 0 ? one++ : zero++);
                want[at] = keys[i];
                want_indices[at] = static_cast<Word>(k);
            }
        }
        app.check(out.download(), want, 0);
        app.check(out_indices.download(), want_indices, 0);
    } else {
        options.unknown("init_indices, prefix_per_block, scan_sums, scatter");
    }
    return app.finish();
}
