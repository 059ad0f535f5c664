// SPDX-License-Identifier: Apache-2.0
//
// Which warps share a scheduler (Jia et al., T4 report Table 1, V100 report Table 2.1): eight warps on one SM, two of
// them run FFMA, the others leave at once. Pairs that share a scheduler reach less in sum.
// `sched.aXbY` in GFLOPS per SM at the device's nominal clock, `sched.flops.aXbY` in FLOP per cycle.
#include "bench.h"

namespace {

constexpr int kChains = 8;
constexpr int kUnroll = 32;

__global__ void pair(float* data, bench::Life* lives, int first, int second, int rounds) {
    int warp = static_cast<int>(threadIdx.x / 32);
    if (warp != first && warp != second) return;
    float a[kChains];
#pragma unroll
    for (int i = 0; i < kChains; ++i) a[i] = data[threadIdx.x + i];
    float b = data[0];
    float c = data[1];
    uint64_t start = bench::now();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
            for (int i = 0; i < kChains; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a[i]) : "f"(b), "f"(c));
        }
    }
    uint64_t end = bench::now();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kChains; ++i) sum += a[i];
    data[threadIdx.x] = sum;
    if (threadIdx.x % 32 == 0) lives[warp == first ? 0 : 1] = {start, end, bench::sm_id(), 0};
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    int rounds = static_cast<int>(args.number("rounds", 32, 256));
    bench::Buffer<float> data(512);
    data.clear();
    bench::Buffer<bench::Life> lives(2);
    double ghz = bench::clock_ghz();
    for (int second = 4; second < 8; ++second) {
        for (int first = 0; first < 4; ++first) {
            for (int warm = 0; warm < 2; ++warm) {
                pair<<<1, 256>>>(data.get(), lives.get(), first, second, rounds);
                bench::finish();
            }
            double flops = 2.0 * 2 * 32 * kChains * kUnroll * rounds;
            double rate = flops / static_cast<double>(bench::span(lives.download()));
            std::string pair_name = "a" + std::to_string(first) + "b" + std::to_string(second);
            bench::emit("sched.flops." + pair_name, rate, "FLOP/cycle/SM");
            bench::emit("sched." + pair_name, rate * ghz, "GFLOPS/SM");
        }
    }
    return 0;
}
