// SPDX-License-Identifier: Apache-2.0
//
// Dependent-issue latency of one instruction: a chain of 96 minus a chain of 32, by one warp, so that the cost of the
// clock reads drops out. The compiler's own stall counts are in force: for fixed-latency instructions the value is the
// distance that the compiler keeps, which is the latency or more.
#include "bench.h"
#include "operations.h"

namespace {

template <class Op, int N>
__device__ __forceinline__ uint64_t chain(typename Op::T& a, typename Op::T b, typename Op::T c) {
    uint64_t start = bench::now();
#pragma unroll
    for (int i = 0; i < N; ++i) Op::step(a, b, c);
    return bench::now() - start;
}

template <class Op>
__global__ void measure(typename Op::T* data, uint64_t* cycles) {
    typename Op::T a = data[threadIdx.x];
    typename Op::T b = data[32];
    typename Op::T c = data[33];
    uint64_t short_chain = 0;
    uint64_t long_chain = 0;
    // The first rounds bring the code into the instruction caches.
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
        short_chain = chain<Op, 32>(a, b, c);
        long_chain = chain<Op, 96>(a, b, c);
    }
    data[threadIdx.x] = a;
    if (threadIdx.x == 0) {
        cycles[0] = short_chain;
        cycles[1] = long_chain;
    }
}

struct Latency {
    template <class Op>
    void operator()(Op) const {
        std::vector<typename Op::T> values(34, static_cast<typename Op::T>(3));
        values[32] = static_cast<typename Op::T>(5);
        values[33] = static_cast<typename Op::T>(7);
        bench::Buffer<typename Op::T> data(values);
        bench::Buffer<uint64_t> cycles(2);
        measure<Op><<<1, 32>>>(data.get(), cycles.get());
        bench::finish();
        std::vector<uint64_t> taken = cycles.download();
        bench::emit(std::string("lat.") + Op::name, static_cast<double>(taken[1] - taken[0]) / 64 / Op::instructions,
                    "cycles");
    }
};

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    Latency latency;
    ops::for_each_common(latency);
    int arch = bench::device().major * 10 + bench::device().minor;
    if (arch >= 75) latency(ops::mufu_tanh{});
    if (arch >= 80) latency(ops::redux_add{});
    return 0;
}
