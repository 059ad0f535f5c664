// SPDX-License-Identifier: Apache-2.0
//
// How much a load of one warp costs when its lanes are spread: `pattern.sectors.<n>` (n distinct 32-byte sectors in as few
// lines as possible), `pattern.lines.<n>` (n distinct 128-byte lines), both with L2-resident data and .cg, cycles per warp
// load of one SM; `pattern.random.<MiB>`: each lane anywhere in an array, GB/s of useful data; `pattern.stream.<MiB>` the
// same kernel with consecutive lanes. `pattern.diverge` is Volkov's latency of one extra transaction.
#include "bandwidth.h"

namespace {

constexpr int kLoads = 8;

__global__ void spread(const uint32_t* data, uint32_t groups, uint32_t group_words, uint32_t move, int rounds,
                       uint32_t* sink, bench::Life* lives) {
    uint32_t lane = threadIdx.x % 32;
    const uint32_t* at = data + lane / (32 / groups) * group_words + threadIdx.x / 32 * 32 * group_words;
    uint32_t sum = 0;
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int phase = 0; phase < 2; ++phase) {
        __syncthreads();
        start = bench::now();
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) {
            uint32_t v[kLoads];
#pragma unroll
            for (uint32_t u = 0; u < kLoads; ++u) {
                const uint32_t* from = at + (static_cast<uint32_t>(round) * kLoads + u) * move;
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[u]) : "l"(from) : "memory");
            }
#pragma unroll
            for (int u = 0; u < kLoads; ++u) sum ^= v[u];
        }
        __syncthreads();
        end = bench::now();
    }
    sink[threadIdx.x] = sum;
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

// index[i] says where thread i reads: the permutation of Volkov's chapter 3 without its store.
__global__ void gather(const uint32_t* data, const uint32_t* index, uint32_t count, uint32_t* sink) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint32_t value = data[index[i]];
        if (value == 0x12345u) *sink = value;
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    bench::Buffer<uint32_t> sink(1024);
    {
        bench::Buffer<bench::Life> lives(1);
        int rounds = static_cast<int>(args.number("rounds", 4, 16));
        int warps = 16;
        bench::Buffer<uint32_t> data(static_cast<std::size_t>(warps) * 32 * 32 + 1024 * 1024);
        data.clear();
        auto run = [&](const std::string& id, uint32_t groups, uint32_t words) {
            spread<<<1, 32 * warps>>>(data.get(), groups, words, 1024, rounds, sink.get(), lives.get());
            bench::finish();
            double loads = static_cast<double>(warps) * rounds * kLoads;
            bench::emit(id + std::to_string(groups), static_cast<double>(bench::span(lives.download())) / loads,
                        "cycles/warp-load/SM");
        };
        for (uint32_t groups : {1u, 2u, 4u, 8u, 16u, 32u}) run("pattern.sectors.", groups, 8);
        for (uint32_t groups : {1u, 2u, 4u, 8u, 16u, 32u}) run("pattern.lines.", groups, 32);
    }
    for (long mib : args.list("mib", "4", "4,16,64,256,1024")) {
        auto count = static_cast<uint32_t>(mib << 18);
        std::vector<uint32_t> order(count);
        bench::Buffer<uint32_t> data(count);
        data.clear();
        for (bool random : {true, false}) {
            bench::Random source(7);
            for (uint32_t i = 0; i < count; ++i) order[i] = random ? source.below(count) : i;
            bench::Buffer<uint32_t> index(order);
            double best = 1e30;
            for (int round = 0; round < 2; ++round) {
                best = std::min(best, bandwidth::milliseconds([&] {
                                    gather<<<(count + 255) / 256, 256>>>(data.get(), index.get(), count, sink.get());
                                }));
            }
            bench::emit(std::string(random ? "pattern.random." : "pattern.stream.") + std::to_string(mib),
                        8.0 * count / best * 1e-6, "GB/s");
        }
    }
    return 0;
}
