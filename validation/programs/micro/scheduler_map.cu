// SPDX-License-Identifier: Apache-2.0
//
// Which warps share a scheduler (Jia et al., T4 report Table 1, V100 report Table 2.1): eight warps on one SM, two of
// them run FFMA, the others leave at once. Pairs that share a scheduler reach less in sum.
// `sched.aXbY` in GFLOPS per SM at the device's nominal clock, `sched.flops.aXbY` in FLOP per cycle, with a loop of 256
// FFMA, whose end costs next to nothing. `sched.loop<n>.aXbY`: with a loop of 8, 10 or 16, of which one warp alone reaches
// about three quarters of its scheduler's rate, as with the reports' loops (they do not print them).
// `sched.modulo`: the smallest n for which exactly the pairs that are equal modulo n are slow; 0 if there is none.
#include "bench.h"

namespace {

template <int Chains, int Unroll>
__global__ void pair(float* data, bench::Life* lives, int first, int second, int rounds) {
    int warp = static_cast<int>(threadIdx.x / 32);
    if (warp != first && warp != second) return;
    float a[Chains];
#pragma unroll
    for (int i = 0; i < Chains; ++i) a[i] = data[threadIdx.x + i];
    float b = data[510];
    float c = data[511];
    uint64_t start = bench::now();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int u = 0; u < Unroll; ++u) {
#pragma unroll
            for (int i = 0; i < Chains; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a[i]) : "f"(b), "f"(c));
        }
    }
    uint64_t end = bench::now();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < Chains; ++i) sum += a[i];
    if (sum == 0.5f) data[threadIdx.x] = sum;
    if (threadIdx.x % 32 == 0) lives[warp == first ? 0 : 1] = {start, end, bench::sm_id(), 0};
}

int modulo(const std::map<std::pair<int, int>, double>& rates) {
    double best = 0;
    for (const auto& pair : rates) best = std::max(best, pair.second);
    for (int n = 1; n < 8; ++n) {
        bool holds = true;
        for (const auto& pair : rates) {
            bool together = (pair.first.second - pair.first.first) % n == 0;
            holds = holds && together == (pair.second < 0.75 * best);
        }
        if (holds) return n;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    int rounds = static_cast<int>(args.number("rounds", 32, 256));
    bench::Buffer<float> data(512);
    data.clear();
    bench::Buffer<bench::Life> lives(2);
    double ghz = bench::clock_ghz();
    auto rate = [&](auto kernel, int first, int second, int turns, int ffmas) {
        for (int warm = 0; warm < 2; ++warm) {
            kernel<<<1, 256>>>(data.get(), lives.get(), first, second, turns);
            bench::finish();
        }
        return 2.0 * 2 * 32 * ffmas * turns / static_cast<double>(bench::span(lives.download()));
    };
    std::map<std::pair<int, int>, double> full_rates;
    for (int second = 4; second < 8; ++second) {
        for (int first = 0; first < 4; ++first) {
            std::string warps = "a" + std::to_string(first) + "b" + std::to_string(second);
            double full = rate(pair<8, 32>, first, second, rounds, 256);
            full_rates[{first, second}] = full;
            bench::emit("sched.flops." + warps, full, "FLOP/cycle/SM");
            bench::emit("sched." + warps, full * ghz, "GFLOPS/SM");
            bench::emit("sched.loop8." + warps, rate(pair<8, 1>, first, second, 16 * rounds, 8) * ghz, "GFLOPS/SM");
            bench::emit("sched.loop10." + warps, rate(pair<10, 1>, first, second, 16 * rounds, 10) * ghz, "GFLOPS/SM");
            bench::emit("sched.loop16." + warps, rate(pair<16, 1>, first, second, 8 * rounds, 16) * ghz, "GFLOPS/SM");
        }
    }
    bench::emit("sched.modulo", modulo(full_rates), "warps");
    return 0;
}
