// SPDX-License-Identifier: Apache-2.0
//
// Dependent-issue latency of one instruction: a chain of 96 minus a chain of 32, by one warp. Each chain is a kernel of
// its own, so that the compiler puts the same stall counts around the clock reads of both, and their cost drops out. Its
// stall counts are in force: for fixed-latency instructions the value is the distance that it keeps, the latency or more.
#include "bench.h"
#include "operations.h"

namespace {

template <int N, class Op>
__device__ __forceinline__ void links(Op, typename Op::T& a, typename Op::T b, typename Op::T c) {
#pragma unroll
    for (int i = 0; i < N; ++i) Op::step(a, b, c);
}

/// A comparison whose predicate goes into the next: nothing else is in the chain.
struct dsetp {
    using T = double;
    static constexpr const char* name = "dsetp";
    static constexpr int instructions = 1;
};

// The predicate lives from one asm statement to the next, in a scope of its own.
template <int N>
__device__ __forceinline__ void links(dsetp, double& a, double b, double c) {
    asm volatile("{.reg .pred link; setp.lt.f64 link, %0, %1;" ::"d"(a), "d"(b));
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("setp.lt.xor.f64 link, %0, %1, link;" ::"d"(b), "d"(c));
    asm volatile("selp.f64 %0, %1, %0, link;}" : "+d"(a) : "d"(c));
}

template <class Op, int N>
__global__ void chain(typename Op::T* data, uint64_t* cycles) {
    typename Op::T a = data[threadIdx.x];
    typename Op::T b = data[32];
    typename Op::T c = data[33];
    uint64_t taken = 0;
    // The first rounds bring the code into the instruction caches.
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
        uint64_t start = bench::now();
        links<N>(Op{}, a, b, c);
        taken = bench::now() - start;
    }
    data[threadIdx.x] = a;
    if (threadIdx.x == 0) *cycles = taken;
}

struct Latency {
    template <class Op, int N>
    double taken() const {
        std::vector<typename Op::T> values(34, static_cast<typename Op::T>(3));
        values[32] = static_cast<typename Op::T>(5);
        values[33] = static_cast<typename Op::T>(7);
        bench::Buffer<typename Op::T> data(values);
        bench::Buffer<uint64_t> cycles(1);
        chain<Op, N><<<1, 32>>>(data.get(), cycles.get());
        bench::finish();
        return static_cast<double>(cycles.download()[0]);
    }
    template <class Op>
    void operator()(Op) const {
        bench::emit(std::string("lat.") + Op::name, (taken<Op, 96>() - taken<Op, 32>()) / 64 / Op::instructions, "cycles");
    }
};

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    Latency latency;
    ops::for_each_common(latency);
    latency(dsetp{});
    int arch = bench::device().major * 10 + bench::device().minor;
    if (arch >= 75) latency(ops::mufu_tanh{});
    if (arch >= 80) latency(ops::redux_add{});
    return 0;
}
