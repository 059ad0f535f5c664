// SPDX-License-Identifier: Apache-2.0
//
// One pass of a radix sort over 4-bit digits: counts per block (shared atomics), offsets (one block), stable scatter by
// ballots.
#include "../app.h"

constexpr int kDigits = 16, kThreads = 256;

__global__ void radix_count(const uint32_t* keys, uint32_t* counts, int n, int blocks) {
    __shared__ uint32_t count[kDigits];
    if (threadIdx.x < kDigits) count[threadIdx.x] = 0;
    __syncthreads();
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (i < n) atomicAdd(&count[keys[i] % kDigits], 1u);
    __syncthreads();
    if (threadIdx.x < kDigits) counts[threadIdx.x * blocks + blockIdx.x] = count[threadIdx.x];
}

__global__ void radix_offsets(uint32_t* counts, int total) {
    __shared__ uint32_t sums[1024];
    const int each = (total + 1023) / 1024, first = static_cast<int>(threadIdx.x) * each;
    uint32_t sum = 0;
    for (int i = first; i < min(first + each, total); ++i) sum += counts[i];
    sums[threadIdx.x] = sum;
    for (int step = 1; step < 1024; step *= 2) {
        __syncthreads();
        const uint32_t other = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += other;
    }
    __syncthreads();
    uint32_t at = threadIdx.x == 0 ? 0 : sums[threadIdx.x - 1];
    for (int i = first; i < min(first + each, total); ++i) {
        const uint32_t count = counts[i];
        counts[i] = at;
        at += count;
    }
}

__global__ void radix_scatter(const uint32_t* keys, const uint32_t* offsets, uint32_t* sorted, int n, int blocks) {
    __shared__ uint32_t before[kThreads / 32][kDigits];
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t key = i < n ? keys[i] : 0xffffffffu, digit = key % kDigits;
    uint32_t same = __ballot_sync(0xffffffffu, i < n);
    for (int bit = 0; bit < 4; ++bit) {
        const uint32_t ones = __ballot_sync(0xffffffffu, digit >> bit & 1);
        same &= (digit >> bit & 1) ? ones : ~ones;
    }
    if (lane < kDigits) before[warp][lane] = 0;
    __syncwarp();
    const uint32_t rank = __popc(same & ((1u << lane) - 1));
    if (i < n && rank == 0) before[warp][digit] = __popc(same);
    __syncthreads();
    if (threadIdx.x < kDigits) {
        uint32_t sum = offsets[threadIdx.x * blocks + blockIdx.x];
        for (int w = 0; w < kThreads / 32; ++w) {
            const uint32_t count = before[w][threadIdx.x];
            before[w][threadIdx.x] = sum;
            sum += count;
        }
    }
    __syncthreads();
    if (i < n) sorted[before[warp][digit] + rank] = key;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 17, 1 << 20);
    const int blocks = static_cast<int>(app::blocks(n, kThreads));
    auto keys = app::integers(static_cast<std::size_t>(n), 5, 1u << 31);
    app::Buffer<uint32_t> dk(keys), dc(static_cast<std::size_t>(blocks) * kDigits), ds(keys.size());
    radix_count<<<blocks, kThreads>>>(dk.get(), dc.get(), n, blocks);
    radix_offsets<<<1, 1024>>>(dc.get(), blocks * kDigits);
    radix_scatter<<<blocks, kThreads>>>(dk.get(), dc.get(), ds.get(), n, blocks);
    bench::finish();
    std::stable_sort(keys.begin(), keys.end(), [](uint32_t a, uint32_t b) { return a % kDigits < b % kDigits; });
    app.check(ds.download(), keys, 0);
    return app.finish();
}
