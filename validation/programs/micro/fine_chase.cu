// SPDX-License-Identifier: Apache-2.0
//
// Every access of one thread that reads an array for the first time, word after word (Mei and Chu's fine-grained pointer
// chase, figure 3.2 of the V100 report): `fine.series`, what the clock reads around it take subtracted. Of each 64 bytes the
// first access comes from DRAM, the one in the other sector from the L2, which has fetched both; the others hit the L1.
// `fine.first`: the very first, which misses the TLBs too; `fine.dram`, `fine.l2`, `fine.l1`: the middle one of each kind, over
// several rounds, each with a cold L2; `fine.dram.mean`: with the accesses that open a row or wait for a refresh.
// Nothing in here is an average over the chip: a few lines lie side by side in one slice of the L2, at one distance.
#include <memory>

#include "bench.h"

namespace {

constexpr uint32_t kStep = 8;
constexpr uint32_t kMost = 2048;
constexpr std::size_t kPage = 2u << 20;

/// Walks `warm` words from `first` on (so that the code is in the caches), then `count` from `second` on, then reads the clock
/// twice without a load.
__global__ void trace(uint64_t first, uint32_t warm, uint64_t second, uint32_t count, uint32_t* cycles) {
    __shared__ uint32_t taken[kMost];
    uint32_t use = 0;
#pragma unroll 1
    for (int turn = 0; turn < 2; ++turn) {
        uint64_t at = turn == 0 ? first : second;
#pragma unroll 1
        for (uint32_t i = 0; i < (turn == 0 ? warm : count); ++i) {
            uint64_t start = bench::now();
            asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
            // Instructions issue in order: the use of the loaded value holds the second clock read back.
            asm volatile("mad.lo.u32 %0, %0, 5, %1;" : "+r"(use) : "r"(static_cast<uint32_t>(at)) : "memory");
            uint64_t end = bench::now();
            taken[i] = static_cast<uint32_t>(end - start);
        }
    }
    uint64_t start = bench::now();
    asm volatile("mad.lo.u32 %0, %0, 5, %1;" : "+r"(use) : "r"(use) : "memory");
    uint64_t end = bench::now();
    for (uint32_t i = 0; i < count; ++i) cycles[i] = taken[i];
    cycles[count] = static_cast<uint32_t>(end - start);
    cycles[count + 1] = use;
}

double middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    auto count = std::min(kMost / 2, static_cast<uint32_t>(args.number("bytes", 512)) / kStep);
    std::unique_ptr<bench::Buffer<uint64_t>> buffers[2];
    buffers[0] = std::make_unique<bench::Buffer<uint64_t>>(kPage / 8);
    {  // Far from each other: the entries of their pages do not lie side by side in the page table either.
        bench::Buffer<char> between(std::size_t{1} << 30);
        buffers[1] = std::make_unique<bench::Buffer<uint64_t>>(kPage / 8);
    }
    for (auto& buffer : buffers) {
        auto at = reinterpret_cast<uint64_t>(buffer->get());
        std::vector<uint64_t> host(kMost + 1);
        for (uint32_t k = 0; k <= kMost; ++k) host[k] = at + (k + 1) * kStep;
        buffer->upload(host);
    }
    auto second = reinterpret_cast<uint64_t>(buffers[0]->get()), first = reinterpret_cast<uint64_t>(buffers[1]->get());
    bench::Random random(1);
    bench::Buffer<uint32_t> cycles(count + 2);
    bench::Buffer<char> other(2 * static_cast<std::size_t>(bench::device().l2CacheSize));
    std::vector<double> series, dram, l2, l1;
    double sum = 0;
    for (long round = 0; round < args.number("rounds", 32, 256); ++round) {
        other.clear();  // pushes both out of the L2
        bench::finish();
        trace<<<1, 1>>>(first, count + random.below(count), second, count, cycles.get());  // at any time between refreshes
        bench::finish();
        std::vector<uint32_t> taken = cycles.download();
        for (uint32_t i = 0; i < count; ++i) {
            const double latency = static_cast<double>(taken[i]) - taken[count];
            if (round == 0) series.push_back(latency);
            const uint32_t byte = i * kStep % 64;
            if (i == 0) continue;  // a TLB miss
            (byte == 0 ? dram : byte == 32 ? l2 : l1).push_back(latency);
            if (byte == 0) sum += latency;
        }
    }
    bench::emit_series("fine.series", series, "cycles");
    bench::emit("fine.first", series[0], "cycles");
    bench::emit("fine.dram", middle(dram), "cycles");
    bench::emit("fine.dram.mean", sum / static_cast<double>(dram.size()), "cycles");
    bench::emit("fine.l2", middle(l2), "cycles");
    bench::emit("fine.l1", middle(l1), "cycles");
    return 0;
}
