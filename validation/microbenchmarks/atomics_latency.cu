// SPDX-License-Identifier: Apache-2.0
//
// Atomic latency under contention inside one warp (T4 report Table 7, V100 report Table 4.2): an atomic followed by a
// load of the same location; the pair's time less the load's. `atomic.<shared|global>.c<n>` (n lanes on one address,
// cnone = one lane), and `atomic.<space>.return.c<n>`: a dependent chain through the returned value.
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
    sink[threadIdx.x] = value;
    return bench::now() - start;
}

template <bool Shared>
__device__ __forceinline__ uint64_t returns(uint32_t* at, uint32_t* sink) {
    uint32_t value = 0;
    uint64_t start = bench::now();
#pragma unroll
    for (int i = 0; i < kPairs; ++i) value = atomicAdd(at + value, value);
    sink[threadIdx.x] = value;
    return bench::now() - start;
}

template <bool Shared>
__global__ void measure(uint32_t* global, uint32_t lanes, uint32_t* sink, uint64_t* cycles) {
    __shared__ uint32_t room[1024];
    for (uint32_t i = threadIdx.x; i < 1024; i += 32) room[i] = 0;
    __syncwarp();
    if (threadIdx.x >= lanes && lanes != 33) return;  // 33: a full warp, each lane with its own word
    uint32_t* at = (Shared ? room : global) + (lanes == 33 ? threadIdx.x : 0);
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
    bench::Buffer<uint32_t> global(1024);
    global.clear();
    bench::Buffer<uint32_t> sink(32);
    bench::Buffer<uint64_t> cycles(2);
    std::string space = Shared ? "atomic.shared." : "atomic.global.";
    for (uint32_t lanes : {1u, 2u, 4u, 8u, 16u, 32u, 33u}) {
        measure<Shared><<<1, 32>>>(global.get(), lanes, sink.get(), cycles.get());
        bench::finish();
        std::vector<uint64_t> taken = cycles.download();
        std::string name = lanes == 1 ? "cnone" : lanes == 33 ? "distinct" : "c" + std::to_string(lanes);
        bench::emit(space + name, static_cast<double>(taken[0]) / kPairs, "cycles");
        bench::emit(space + "return." + name, static_cast<double>(taken[1]) / kPairs, "cycles");
    }
}

}  // namespace

int main() {
    report<true>();
    report<false>();
    return 0;
}
