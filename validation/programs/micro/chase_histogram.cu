// SPDX-License-Identifier: Apache-2.0
//
// Latencies of single hops rather than their mean: `hops.<random|stride>.<MiB>.<min..max>` and the series of the first
// 256 (`hops.<...>.series`), for working sets in the near L2, between the halves, and in DRAM. `line.<bytes>` answers the
// sector and line size: mean latency of first touches at that stride, the rest of each line being in the L2 or not.
#include "chase.h"

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    auto hops = static_cast<uint32_t>(args.number("hops", 256, 8192));
    std::vector<long> sizes = args.list("mib", "1", "4,16,24,28,30,32,36,40,48,52,56,64,96,256");
    long largest = *std::max_element(sizes.begin(), sizes.end());
    bench::Buffer<char> memory(static_cast<std::size_t>(largest) << 20);
    bench::Buffer<uint32_t> latency(hops);
    for (long mib : sizes) {
        for (bool random : {true, false}) {
            chase::Chain chain{static_cast<uint32_t>(mib << 13), 128, 0, random};
            chase::prepare(memory.get(), chain);
            chase::walk_each<chase::Cache::cg><<<1, 256>>>(memory.get(), chain.count, 128, hops, latency.get());
            bench::finish();
            std::vector<uint32_t> each = latency.download();
            std::string id = std::string("hops.") + (random ? "random." : "stride.") + std::to_string(mib);
            bench::emit_percentiles(id, std::vector<double>(each.begin(), each.end()), "cycles");
            each.resize(256);
            bench::emit_series(id + ".series", each, "cycles");
        }
    }
    // First touches in DRAM at a growing stride: the mean falls where neighbours come along with a fetch.
    for (uint64_t stride : {32u, 64u, 128u, 256u, 512u, 1024u, 2048u}) {
        auto count = static_cast<uint32_t>(args.number("lines", 512, 4096));
        bench::Buffer<char> fresh(stride * count);
        chase::prepare(fresh.get(), {count, stride, 0, false});
        {  // push the chain out of the L2, which is still full of it and of what was here before
            const long twice = std::max<long>(16, 2 * (bench::device().l2CacheSize >> 20));
            bench::Buffer<char> other(static_cast<std::size_t>(args.number("flush_mib", twice, 256)) << 20);
            other.clear();
        }
        bench::Buffer<uint64_t> result(2);
        chase::walk_cold<<<1, 1>>>(fresh.get(), count, result.get());
        bench::finish();
        bench::emit("line." + std::to_string(stride), static_cast<double>(result.download()[0]) / count, "cycles");
    }
    return 0;
}
