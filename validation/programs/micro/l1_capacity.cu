// SPDX-License-Identifier: Apache-2.0
//
// L1 capacity as a pointer chase detects it, by shared-memory carve-out (V100 report Table 3.3, T4 report Table 4):
// `l1d.detect_smem<KiB>` is the largest array, in KiB, of which the second scan hits throughout.
// `l1d.over.<KiB over>`: the part of lines that miss in a sequential and (`.random`) a random second scan of an array
// larger than the detected size; `l1d.pattern.<KiB over>`: which lines miss, a series of hop latencies.
#include "chase.h"

namespace {

// The carve-out is a property of the kernel, so the walk is a kernel of its own here.
// Latencies are kept only on request: stores take lines of the L1 too.
template <bool Keep>
__global__ void scan(char* base, uint32_t count, uint32_t* latency, uint32_t keep) {
    extern __shared__ uint32_t room[];
    auto p = reinterpret_cast<uint64_t>(base);
    uint32_t use = 0;
    uint32_t slow = 0;
#pragma unroll 1
    for (uint32_t hop = 0; hop < 2 * count; ++hop) p = chase::load<chase::Cache::ca>(p);
#pragma unroll 1
    for (uint32_t hop = 0; hop < count; ++hop) {
        uint64_t start = bench::now();
        p = chase::load<chase::Cache::ca>(p);
        asm volatile("mad.lo.u32 %0, %0, 5, %1;" : "+r"(use) : "r"(static_cast<uint32_t>(p)) : "memory");
        uint64_t end = bench::now();
        auto taken = static_cast<uint32_t>(end - start);
        // A hit takes far less than 128 cycles and a miss far more. Arithmetic only: no branch or predicate on the clock.
        slow += 1u - ((taken - 128u) >> 31);
        if (Keep) latency[1 + hop % keep] = taken;
    }
    latency[0] = slow;
    if (use == 0x12345u) room[0] = use;
}

constexpr uint32_t kKeep = 4096;

template <bool Keep = false>
uint32_t misses(char* base, long kib, bool random, bench::Buffer<uint32_t>& latency) {
    chase::Chain chain{static_cast<uint32_t>(kib * 8), 128, 0, random};
    chase::prepare(base, chain);
    scan<Keep><<<1, 1>>>(base, chain.count, latency.get(), kKeep);
    bench::finish();
    return latency.download()[0];
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    cudaDeviceProp device = bench::device();
    int arch = device.major * 10 + device.minor;
    const char* carve_outs = arch >= 90   ? "0,8,16,32,64,100,132,164,196,228"
                             : arch == 80 ? "0,8,16,32,64,100,132,164"
                             : arch == 75 ? "32,64"
                             : arch == 70 ? "0,8,16,32,64,96"
                                          : "0,8,16,32,64,100";
    bench::Buffer<char> memory(512 * 1024);
    bench::Buffer<uint32_t> latency(kKeep + 1);
    long largest = arch >= 90 ? 256 : arch == 80 ? 192 : arch == 75 ? 96 : 128;
    for (long smem : args.list("smem", arch == 75 ? "32,64" : "64", carve_outs)) {
        auto percent = static_cast<int>(100 * smem * 1024 / static_cast<long>(device.sharedMemPerMultiprocessor));
        for (auto* kernel : {scan<false>, scan<true>}) {
            CUDA_OK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, std::min(percent, 100)));
        }
        // Bisection between nothing and the whole array.
        long low = 1;
        long high = largest - smem + 8;
        while (high - low > 1) {
            long middle = (low + high) / 2;
            (misses(memory.get(), middle, false, latency) == 0 ? low : high) = middle;
        }
        bench::emit("l1d.detect_smem" + std::to_string(smem), static_cast<double>(low), "KiB");
        if (smem != 64) continue;
        for (long over : args.list("over", "1,8,32", "1,2,4,8,12,16,24,32,48,64,96,128,192")) {
            for (bool random : {false, true}) {
                std::string id = std::to_string(over) + (random ? ".random" : "");
                uint32_t missed = misses(memory.get(), low + over, random, latency);
                bench::emit("l1d.over." + id, static_cast<double>(missed) / (8.0 * static_cast<double>(low + over)), "misses");
                if (over != 8 && over != 32) continue;
                misses<true>(memory.get(), low + over, random, latency);
                std::vector<uint32_t> each = latency.download();
                each.erase(each.begin());
                each.resize(static_cast<std::size_t>(low + over) * 8);
                bench::emit_series("l1d.pattern." + id, each, "cycles");
            }
        }
    }
    return 0;
}
