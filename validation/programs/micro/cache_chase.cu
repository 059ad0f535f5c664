// SPDX-License-Identifier: Apache-2.0
//
// Load latency over the working set: `chase.<ca|cg>.<random|stride>.<KiB>` (64-bit pointers, one per `step` bytes).
// One block warms the set, one thread walks `hops` hops of it.
// Named plateaus are read off at set sizes far from any capacity: `l1d.hit_latency` (8 KiB, .ca), `l2.hit_latency`
// (256 KiB, .cg) and `dram.latency` (the largest set, if it is more than twice the L2).
#include "chase.h"

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    std::vector<long> sizes =
        args.list("kib", "8,16,24,28,32,48,56,60,64,96,112,120,124,128,160,192,224,256,512,1024,4096,8192",
                  "8,16,24,26,28,32,48,56,58,60,64,80,96,112,116,120,122,124,126,128,144,160,176,184,192,200,204,208,212,"
                  "216,220,224,228,232,236,240,244,248,252,256,288,320,512,1024,2048,4096,8192,16384,20480,22528,24576,"
                  "26624,28672,30720,32768,36864,40960,45056,49152,51200,53248,57344,61440,65536,98304,131072,196608,"
                  "262144,524288");
    auto step = static_cast<uint64_t>(args.number("step", 128));
    auto hops = static_cast<uint32_t>(args.number("hops", 2048, 16384));
    auto largest = static_cast<std::size_t>(*std::max_element(sizes.begin(), sizes.end())) * 1024;
    auto l2 = static_cast<std::size_t>(bench::device().l2CacheSize);
    bench::Buffer<char> memory(largest);
    for (bool random : {true, false}) {
        for (long kib : sizes) {
            chase::Chain chain{static_cast<uint32_t>(static_cast<uint64_t>(kib) * 1024 / step), step, 0, random};
            bench::Buffer<uint32_t> order(chase::prepare(memory.get(), chain));
            std::string name = std::string(random ? ".random." : ".stride.") + std::to_string(kib);
            // Short rings are walked many times.
            uint32_t walk = hops;
            double ca = chase::latency<chase::Cache::ca>(memory.get(), chain, walk, order.get());
            double cg = chase::latency<chase::Cache::cg>(memory.get(), chain, walk, order.get());
            bench::emit("chase.ca" + name, ca, "cycles");
            bench::emit("chase.cg" + name, cg, "cycles");
            if (!random) continue;
            if (kib == 8) bench::emit("l1d.hit_latency", ca, "cycles");
            if (kib == 256) bench::emit("l2.hit_latency", cg, "cycles");
            if (static_cast<std::size_t>(kib) * 1024 == largest && largest > 2 * l2) bench::emit("dram.latency", ca, "cycles");
        }
    }
    return 0;
}
