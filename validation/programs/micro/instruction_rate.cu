// SPDX-License-Identifier: Apache-2.0
//
// Peak rates: `rate.<op>` is thread results per cycle and SM with 32 warps, each with four independent chains;
// `interval.<op>` is the distance in cycles between independent instructions of a single warp (eight chains).
#include "bench.h"
#include "operations.h"

namespace {

constexpr int kUnroll = 16;

template <class Op, int Chains>
__global__ void measure(typename Op::T* data, bench::Life* lives, int rounds, int repeats) {
    using T = typename Op::T;
    T a[Chains];
#pragma unroll
    for (int i = 0; i < Chains; ++i) a[i] = data[threadIdx.x % 32 + i];
    T b = data[40];
    T c = data[41];
    uint64_t start = 0;
    uint64_t end = 0;
    // Round 0 fills the instruction caches; the last one is kept.
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        __syncthreads();
        start = bench::now();
#pragma unroll 1
        for (int repeat = 0; repeat < repeats; ++repeat) {
#pragma unroll
            for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
                for (int i = 0; i < Chains; ++i) Op::step(a[i], b, c);
            }
        }
        T sum = a[0];
#pragma unroll
        for (int i = 1; i < Chains; ++i) sum = sum + a[i];
        a[0] = sum;
        end = bench::now();
    }
    data[threadIdx.x % 32] = a[0];
    if (threadIdx.x % 32 == 0) lives[threadIdx.x / 32] = {start, end, bench::sm_id(), 0};
}

template <class Op, int Chains>
double cycles_per_warp_instruction(int warps, int rounds, int repeats) {
    std::vector<typename Op::T> values(42, static_cast<typename Op::T>(3));
    bench::Buffer<typename Op::T> data(values);
    bench::Buffer<bench::Life> lives(static_cast<std::size_t>(warps));
    measure<Op, Chains><<<1, 32 * warps>>>(data.get(), lives.get(), rounds, repeats);
    bench::finish();
    double instructions = static_cast<double>(kUnroll) * Chains * Op::instructions * warps * repeats;
    return static_cast<double>(bench::span(lives.download())) / instructions;
}

struct Rate {
    int rounds;
    int repeats;
    template <class Op>
    void operator()(Op) const {
        double full = cycles_per_warp_instruction<Op, 4>(32, rounds, repeats);
        bench::emit(std::string("rate.") + Op::name, 32 / full, "results/cycle/SM");
        bench::emit(std::string("interval.") + Op::name, cycles_per_warp_instruction<Op, 8>(1, rounds, repeats), "cycles");
    }
};

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    Rate rate{static_cast<int>(args.number("rounds", 2)), static_cast<int>(args.number("repeats", 8, 32))};
    ops::for_each_common(rate);
    int arch = bench::device().major * 10 + bench::device().minor;
    if (arch >= 75) rate(ops::mufu_tanh{});
    if (arch >= 80) rate(ops::redux_add{});
    return 0;
}
