// SPDX-License-Identifier: Apache-2.0
//
// L2 hit latency line by line, seen from single SMs: `l2.line.sm<id>` is the series over consecutive 128-byte lines
// (smallest of several rounds), `l2.line.<min..max>` its percentiles over all SMs that were asked. Slices near and far,
// and how finely the address hash spreads lines, can be read off.
#include "bench.h"

namespace {

// One block per SM; only the block `chosen` measures, and says on which SM. Each lane-0 load is timed alone; the value
// loaded (0) feeds the next address so that loads cannot overlap.
__global__ void lines(const uint32_t* memory, uint32_t count, uint32_t words, uint32_t chosen, uint32_t rounds,
                      uint32_t* cycles, uint32_t* found) {
    if (blockIdx.x != chosen || threadIdx.x != 0) return;
    *found = bench::sm_id();
    uint32_t zero = 0;
    uint32_t sum = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t* at = memory + static_cast<std::size_t>(i) * words + zero;
            uint64_t start = bench::now();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(zero) : "l"(at) : "memory");
            // Instructions issue in order: the use of the loaded value holds the second clock read back.
            asm volatile("mad.lo.u32 %0, %0, 5, %1;" : "+r"(sum) : "r"(zero) : "memory");
            uint64_t end = bench::now();
            cycles[round * count + i] = static_cast<uint32_t>(end - start);
        }
    }
    if (sum != 0) cycles[0] = 0;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    auto count = static_cast<uint32_t>(args.number("lines", 256, 4096));
    auto rounds = static_cast<uint32_t>(args.number("rounds", 2, 4));
    auto line = static_cast<uint32_t>(args.number("bytes", 128));
    int sms = bench::device().multiProcessorCount;
    bench::Buffer<uint32_t> memory(static_cast<std::size_t>(count) * line / 4);
    memory.clear();
    bench::Buffer<uint32_t> cycles(static_cast<std::size_t>(count) * rounds);
    bench::Buffer<uint32_t> found(1);
    found.clear(255);
    bench::Buffer<uint32_t> places(static_cast<std::size_t>(sms));
    // As much shared memory as keeps a second block away.
    auto room = static_cast<int>(bench::device().sharedMemPerBlockOptin) - 1024;
    CUDA_OK(cudaFuncSetAttribute(lines, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    CUDA_OK(cudaFuncSetAttribute(bench::write_places, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    std::vector<double> all;
    for (long sm : args.list("sms", "0", "0,1,2,3,16,17,40,66,100,131")) {
        if (sm >= sms) continue;
        bool there = false;
        for (int attempt = 0; attempt < 8 && !there; ++attempt) {
            bench::write_places<<<sms, 32, room>>>(places.get());
            bench::finish();
            std::vector<uint32_t> by_block = places.download();
            auto block = std::find(by_block.begin(), by_block.end(), static_cast<uint32_t>(sm)) - by_block.begin();
            lines<<<sms, 32, room>>>(memory.get(), count, line / 4, static_cast<uint32_t>(block), rounds, cycles.get(),
                                     found.get());
            bench::finish();
            there = found.download()[0] == static_cast<uint32_t>(sm);
        }
        if (!there) continue;
        std::vector<uint32_t> taken = cycles.download();
        std::vector<uint32_t> best(taken.begin() + count, taken.begin() + 2 * count);
        for (uint32_t round = 2; round < rounds; ++round) {
            for (uint32_t i = 0; i < count; ++i) best[i] = std::min(best[i], taken[round * count + i]);
        }
        all.insert(all.end(), best.begin(), best.end());
        bench::emit_series("l2.line.sm" + std::to_string(sm), best, "cycles");
    }
    bench::emit_percentiles("l2.line", all, "cycles");
    return 0;
}
