// SPDX-License-Identifier: Apache-2.0
//
// TLB reach: one load per page, in a random order over a growing number of pages; each element sits at another offset
// of its page so that neither the cache sets nor the DRAM banks collide. `tlb.<page KiB>.<coverage MiB>`;
// `tlb.first.<...>`: the mean over the first 64 pages that an SM touches in a kernel (the lines are in the L2).
// `l1d.behind_tlb`, `l2.behind_tlb`: 1 if loads through the L1, or past it, take longer in the largest of these sets, of pages
// of 2 MiB, than in the smallest: a cache that is looked up by physical address waits for the TLB, one by virtual does not.
// Lines of the L2 are near or far: few pages are walked several times, each time with other lines of theirs.
#include "chase.h"

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    std::vector<long> pages = args.list("page_kib", "2048", "64,512,2048,32768");
    std::vector<long> coverage = args.list("mib", "8,16,24,32,40,48,64,128",
                                           "8,16,24,28,32,36,40,48,64,96,128,192,256,384,512,768,1024,1536,2048,3072,4096,"
                                           "6144,8192,10240,12288,16384,24576,32768,49152,65536,81920,98304");
    std::size_t largest = static_cast<std::size_t>(*std::max_element(coverage.begin(), coverage.end())) << 20;
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    CUDA_OK(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (largest > free_bytes * 9 / 10) largest = free_bytes * 9 / 10;
    constexpr uint32_t kLines = 64;
    constexpr uint64_t kShift = 128 * 11;
    bench::Buffer<char> memory(largest + kLines * kShift);
    auto hops = static_cast<uint32_t>(args.number("hops", 1024, 8192));
    const double slack = static_cast<double>(args.number("slack", 10)) / 100;
    for (long page_kib : pages) {
        auto page = static_cast<uint64_t>(page_kib) * 1024;
        std::vector<std::pair<double, double>> curve;
        for (long mib : coverage) {
            uint64_t bytes = static_cast<uint64_t>(mib) << 20;
            auto count = static_cast<uint32_t>(bytes / page);
            // Up to 64 Ki lines stay in the L2: what grows is then the translation alone.
            if (bytes > largest || count < 4 || count > 65536) continue;
            chase::Chain chain{count, page, 128 * 37, true};
            const uint32_t walks = std::max(1u, kLines / count);
            double cycles = 0;
            double first = 0;
            for (uint32_t i = 0; i < walks; ++i) {
                char* base = memory.get() + i * kShift;
                chase::prepare(base, chain);
                cycles += chase::latency<chase::Cache::cg>(base, chain, std::min(hops, std::max(count, 64u))) / walks;
                first += chase::first_touch(base, chain, std::min(64u, count)) / walks;
            }
            std::string id = "." + std::to_string(page_kib) + "." + std::to_string(mib);
            bench::emit("tlb" + id, cycles, "cycles");
            curve.push_back({static_cast<double>(mib), cycles});
            bench::emit("tlb.first" + id, first, "cycles");
        }
        // A step of more than `slack` percent ends the plateau. Equal to the largest coverage measured when no step was seen.
        if (page_kib != 2048 || curve.empty()) continue;
        bench::emit("tlb.l1_cov", bench::plateau_end(curve, 0, slack), "MiB");
        auto through_l1 = [&](double mib) {
            chase::Chain chain{static_cast<uint32_t>(mib / 2), page, 128 * 37, true};
            chase::prepare(memory.get(), chain);
            return chase::latency<chase::Cache::ca>(memory.get(), chain, std::min(hops, std::max(chain.count, 64u)));
        };
        bool behind = through_l1(curve.back().first) > (1 + slack) * through_l1(curve.front().first);
        bench::emit("l1d.behind_tlb", behind ? 1 : 0, "yes/no");
        bench::emit("l2.behind_tlb", curve.back().second > (1 + slack) * curve.front().second ? 1 : 0, "yes/no");
    }
    return 0;
}
