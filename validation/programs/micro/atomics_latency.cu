// SPDX-License-Identifier: Apache-2.0
//
// Atomic latency under contention inside one warp (T4 report Table 7, V100 report Table 4.2): an atomic followed by a
// load of the same location; the pair's time less the load's. `atomic.<shared|global>.c<n>` (n lanes on one address,
// cnone = one lane), `.group<n>` (a full warp, every n lanes on an address of their own: distinct for n = 1), and
// `atomic.<space>.return.*`: a dependent chain through the returned value. In global memory each value is the mean over
// lines in both halves of the L2.
#include "bench.h"

namespace {

constexpr int kPairs = 16;

__device__ __forceinline__ uint32_t load(uint32_t* at, bool shared) {
    uint32_t value;
    if (shared) {
        asm volatile("ld.shared.u32 %0, [%1];"
                     : "=r"(value)
                     : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(at)))
                     : "memory");
    } else {
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    }
    return value;
}

__device__ __forceinline__ void reduce(uint32_t* at, uint32_t value, bool shared) {
    if (shared) {
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(at))), "r"(value)
                     : "memory");
    } else {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    }
}

// All words are zero and every addend is the value loaded before, so the chain is through the data.
template <bool Shared, bool Atomic>
__device__ __forceinline__ uint64_t pairs(uint32_t* at, uint32_t* sink) {
    uint32_t value = 0;
    uint64_t start = bench::now();
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
        if (Atomic) reduce(at + value, value, Shared);
        value = load(at + value, Shared);
    }
    // The last load counts too: the clock is read behind a use of it.
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(sink + threadIdx.x), "r"(value) : "memory");
    return bench::now() - start;
}

template <bool Shared>
__device__ __forceinline__ uint64_t returns(uint32_t* at, uint32_t* sink) {
    uint32_t value = 0;
    uint64_t start = bench::now();
#pragma unroll
    for (int i = 0; i < kPairs; ++i) value = atomicAdd(at + value, value);
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(sink + threadIdx.x), "r"(value) : "memory");
    return bench::now() - start;
}

template <bool Shared>
__global__ void measure(uint32_t* global, uint32_t lanes, uint32_t group, uint32_t* sink, uint64_t* cycles) {
    __shared__ uint32_t room[1024];
    for (uint32_t i = threadIdx.x; i < 1024; i += 32) room[i] = 0;
    __syncwarp();
    if (threadIdx.x >= lanes) return;
    uint32_t* at = (Shared ? room : global) + threadIdx.x / group;
    uint64_t with = 0;
    uint64_t without = 0;
    uint64_t back = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
        without = pairs<Shared, false>(at, sink);
        with = pairs<Shared, true>(at, sink);
        back = returns<Shared>(at, sink);
    }
    if (threadIdx.x == 0) {
        cycles[0] = with - without;
        cycles[1] = back;
    }
}

template <bool Shared>
void report() {
    constexpr uint32_t step = bench::kPlaceBytes / sizeof(uint32_t);
    constexpr uint32_t places = Shared ? 1 : bench::kPlaces;
    bench::Buffer<uint32_t> global(places * step);
    global.clear();
    bench::Buffer<uint32_t> sink(32);
    bench::Buffer<uint64_t> cycles(2);
    std::string space = Shared ? "atomic.shared." : "atomic.global.";
    auto run = [&](const std::string& name, uint32_t lanes, uint32_t group) {
        double beyond = 0, back = 0;
        for (uint32_t place = 0; place < places; ++place) {
            measure<Shared><<<1, 32>>>(global.get() + place * step, lanes, group, sink.get(), cycles.get());
            bench::finish();
            std::vector<uint64_t> taken = cycles.download();
            beyond += static_cast<double>(taken[0]) / kPairs / places;
            back += static_cast<double>(taken[1]) / kPairs / places;
        }
        bench::emit(space + name, beyond, "cycles");
        bench::emit(space + "return." + name, back, "cycles");
    };
    for (uint32_t lanes : {1u, 2u, 4u, 8u, 16u, 32u}) run(lanes == 1 ? "cnone" : "c" + std::to_string(lanes), lanes, 32);
    for (uint32_t group : {1u, 2u, 4u, 8u, 16u}) run(group == 1 ? "distinct" : "group" + std::to_string(group), 32, group);
}

}  // namespace

int main() {
    report<true>();
    report<false>();
    return 0;
}
