// SPDX-License-Identifier: Apache-2.0
//
// Thread blocks: `block.replace.w<warps>`: cycles from the end of a block to the start of the next one on the same SM and
// in its place (one block per SM at a time; median), `block.first.*`: on how many SMs and in what order the first blocks
// start: `block.placement` is the series of SM ids by block index. `block.launch`: first to last start on one SM when its four
// first blocks start together, in the last of four launches.
#include "bench.h"

namespace {

__global__ void timed(bench::Life* lives, int work, float* sink) {
    uint64_t start = bench::now();
    float a = sink[0];
#pragma unroll 1
    for (int i = 0; i < work; ++i) asm volatile("add.rn.f32 %0, %0, %0;" : "+f"(a));
    if (a == 1234.0f) sink[0] = a;
    uint64_t end = bench::now();
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    cudaDeviceProp device = bench::device();
    int sms = device.multiProcessorCount;
    bench::Buffer<float> sink(1);
    sink.clear();
    int rounds = static_cast<int>(args.number("rounds", 4, 16));
    auto room = static_cast<int>(device.sharedMemPerBlockOptin) - 1024;
    CUDA_OK(cudaFuncSetAttribute(timed, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    for (long warps : args.list("warps", "1,8", "1,4,8,16,32")) {
        auto blocks = static_cast<uint32_t>(sms * rounds);
        bench::Buffer<bench::Life> lives(blocks);
        timed<<<blocks, static_cast<uint32_t>(32 * warps), room>>>(lives.get(), 200, sink.get());
        bench::finish();
        std::map<uint32_t, std::vector<std::pair<uint64_t, uint64_t>>> per_sm;
        std::vector<bench::Life> all = lives.download();
        for (const bench::Life& life : all) per_sm[life.sm].push_back({life.start, life.end});
        std::vector<double> gaps;
        for (auto& sm : per_sm) {
            std::sort(sm.second.begin(), sm.second.end());
            for (std::size_t i = 1; i < sm.second.size(); ++i) {
                gaps.push_back(static_cast<double>(sm.second[i].first) - static_cast<double>(sm.second[i - 1].second));
            }
        }
        bench::emit_percentiles("block.replace.w" + std::to_string(warps), gaps, "cycles");
        if (warps == 1) {
            std::vector<uint32_t> first;
            for (int i = 0; i < sms; ++i) first.push_back(all[static_cast<std::size_t>(i)].sm);
            bench::emit_series("block.placement.exclusive", first, "SM id");
        }
    }
    {
        auto blocks = static_cast<uint32_t>(4 * sms);
        bench::Buffer<bench::Life> lives(blocks);
        // Long enough that no block ends before the last has started. The first launches of a program find cold code;
        // launches of another kernel between them end that.
        for (int launch = 0; launch < 4; ++launch) {
            lives.clear();
            timed<<<blocks, 128, 0>>>(lives.get(), static_cast<int>(args.number("work", 60, 5000)), sink.get());
            bench::finish();
        }
        std::vector<uint32_t> order;
        std::map<uint32_t, std::pair<uint64_t, uint64_t>> starts;
        for (const bench::Life& life : lives.download()) {
            order.push_back(life.sm);
            auto at = starts.emplace(life.sm, std::make_pair(life.start, life.start)).first;
            at->second.first = std::min(at->second.first, life.start);
            at->second.second = std::max(at->second.second, life.start);
        }
        bench::emit_series("block.placement.shared", order, "SM id");
        std::vector<double> spans;
        for (const auto& sm : starts) spans.push_back(static_cast<double>(sm.second.second - sm.second.first));
        bench::emit_percentiles("block.launch", spans, "cycles");
    }
    return 0;
}
