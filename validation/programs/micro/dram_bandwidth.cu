// SPDX-License-Identifier: Apache-2.0
//
// DRAM bandwidth over an array much larger than the L2, by events (GB/s) and by the SMs' clocks (bytes per cycle):
// `dram.read`, `dram.write`, `dram.bw` (copy, bytes read plus bytes written, as the reports count it).
#include "bandwidth.h"

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    auto bytes = static_cast<uint64_t>(args.number("mib", 32, 2048)) << 20;
    uint64_t count = bytes / sizeof(uint4);
    int sms = bench::device().multiProcessorCount;
    bench::Buffer<uint4> from(count);
    bench::Buffer<uint4> to(count);
    from.clear(1);
    to.clear();
    bench::Buffer<uint32_t> sink(1);
    cudaDeviceProp device = bench::device();
    double peak = 2.0 * bench::attribute(cudaDevAttrMemoryClockRate) * device.memoryBusWidth / 8 * 1e-6;
    for (long per_sm : args.list("blocks", "4", "1,2,4")) {
        auto blocks = static_cast<uint32_t>(per_sm * sms);
        bench::Buffer<bench::Life> lives(blocks);
        auto report = [&](const char* name, double moved, auto launch) {
            double best = 1e30;
            double cycles = 0;
            for (int round = 0; round < 2; ++round) {
                double taken = bandwidth::milliseconds(launch);
                if (taken < best) {
                    best = taken;
                    cycles = static_cast<double>(bench::span(lives.download()));
                }
            }
            std::string id = std::string("dram.") + name + (per_sm == 4 ? "" : ".blocks" + std::to_string(per_sm));
            bench::emit(id, moved / best * 1e-6, "GB/s");
            if (id == "dram.bw") bench::emit("dram.bw_ratio", 100 * moved / best * 1e-6 / peak, "%");
            bench::emit(id + ".cycle", moved / cycles, "B/cycle");
        };
        auto moved = static_cast<double>(bytes);
        report("read", moved, [&] {
            bandwidth::read_once<bandwidth::Path::cg><<<blocks, 512>>>(from.get(), count, sink.get(), lives.get());
        });
        report("write", moved, [&] {
            bandwidth::write_once<false><<<blocks, 512>>>(from.get(), to.get(), count, lives.get());
        });
        report("bw", 2 * moved, [&] {
            bandwidth::write_once<true><<<blocks, 512>>>(from.get(), to.get(), count, lives.get());
        });
    }
    return 0;
}
