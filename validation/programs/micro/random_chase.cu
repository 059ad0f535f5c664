// SPDX-License-Identifier: Apache-2.0
//
// Mean latency of a chase through a whole set in random order, as RRZE's gpu-latency measures it (`rchase.<KiB>`): one thread,
// lines of 128 bytes, each once per pass; the next pass goes on with the next words of the lines. The host writes the chain.
// What is timed is the steady state: sets of up to twice the L2 are walked before; of larger ones the lines before the
// first timed hop are read, as many as fill the L2 twice.
#include "bench.h"

namespace {

constexpr uint64_t kLine = 128;
constexpr uint64_t kWords = kLine / 8;

__global__ void touch(const char* base, const uint32_t* order, uint32_t count, uint64_t* sink) {
    uint64_t sum = 0;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        uint64_t value;
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(base + __ldcg(order + i) * kLine) : "memory");
        sum += value;
    }
    if (sum == 1) *sink = sum;
}

/// Walks `before` hops, then `hops` timed ones; both multiples of 32.
__global__ void walk(uint64_t at, uint32_t before, uint32_t hops, uint64_t* result) {
    uint64_t start = 0;
    uint64_t end = 0;
    uint64_t sum = 0;
#pragma unroll 1
    for (int phase = 0; phase < 2; ++phase) {
        const uint32_t count = phase == 0 ? before : hops;
        start = bench::now();
#pragma unroll 1
        for (uint32_t hop = 0; hop < count; hop += 32) {
#pragma unroll
            for (int i = 0; i < 32; ++i) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
        }
        // Instructions issue in order: a use of the last address holds the clock read back.
        asm volatile("add.u64 %0, %0, %1;" : "+l"(sum) : "l"(at) : "memory");
        end = bench::now();
    }
    result[0] = end - start;
    result[1] = sum;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    auto l2 = static_cast<uint64_t>(bench::device().l2CacheSize);
    auto hops = static_cast<uint32_t>(args.number("hops", 4096, 1 << 18)) / 32 * 32;
    for (long kib : args.list("kib", "32,121,177,1008,4023",
                              "8,16,32,64,96,112,121,130,144,160,177,196,216,239,264,291,321,354,391,512,1008,2048,4023,"
                              "6067,6970,7672,8440,10240,16617,24576,30720,32768,40960,49152,57344,66061,99570,131072,"
                              "203930,400000,1048576")) {
        const uint64_t bytes = static_cast<uint64_t>(kib) * 1024;
        auto count = static_cast<uint32_t>(bytes / kLine);
        std::vector<uint32_t> next = bench::sattolo(count, 1);
        bench::Buffer<uint64_t> ring(count * kWords);
        auto base = reinterpret_cast<uint64_t>(ring.get());
        {
            std::vector<uint64_t> host(count * kWords);
            for (uint64_t i = 0; i < count; ++i)
                for (uint64_t word = 0; word < kWords; ++word)
                    host[i * kWords + word] = base + next[i] * kLine + (word + (next[i] == 0 ? 1 : 0)) % kWords * 8;
            ring.upload(host);
        }
        bench::Buffer<uint64_t> result(2);
        uint32_t start = 0;  // the first line walked
        // As often as a line has words, where the L1 may hold them; else once.
        uint32_t before = std::max({count, hops, std::min<uint32_t>(kWords * count, 1 << 15)}) / 32 * 32;
        if (bytes > 2 * l2) {
            std::vector<uint32_t> order(std::min<uint64_t>(count, 2 * l2 / kLine));
            for (uint32_t& line : order) start = next[line = start];
            bench::Buffer<uint32_t> device_order(order);
            touch<<<1, 1024>>>(reinterpret_cast<char*>(ring.get()), device_order.get(),
                               static_cast<uint32_t>(order.size()), result.get());
            bench::finish();
            before = 1024;  // more pages than the TLB of an SM holds
        }
        walk<<<1, 1>>>(base + start * kLine, before, hops, result.get());
        bench::finish();
        bench::emit("rchase." + std::to_string(kib), static_cast<double>(result.download()[0]) / hops, "cycles");
    }
    return 0;
}
