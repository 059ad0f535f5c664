// SPDX-License-Identifier: Apache-2.0
//
// Pointer chases (Mei and Chu): the address of each load comes from the load before it.
#pragma once

#include "bench.h"

namespace chase {

enum class Cache { ca, cg };

template <Cache C>
__device__ __forceinline__ uint64_t load(uint64_t address) {
    uint64_t value;
    if (C == Cache::ca) {
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    } else {
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    }
    return value;
}

/// Writes the chain into `base`: element i lives at i * stride + (i * skew mod stride), where the stride is a power of
/// two and the skew spreads page chases over sets and banks, and holds the address of element next[i].
__global__ inline void lay_out(char* base, const uint32_t* next, uint32_t count, uint64_t stride, uint64_t skew) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        auto to = reinterpret_cast<uint64_t>(base) + next[i] * stride + (next[i] * skew & (stride - 1));
        *reinterpret_cast<uint64_t*>(base + i * stride + (i * skew & (stride - 1))) = to;
    }
}

/// The block reads every element once (all threads), then thread 0 walks `hops` hops twice: untimed, then timed.
/// A `hops` of less than the whole ring still touches every element in the first phase: with `order`, in the order of the
/// walk, so that what is timed was touched longest ago, as in a walk of the whole ring.
template <Cache C>
__global__ void walk(char* base, uint32_t count, uint64_t stride, uint64_t skew, uint32_t hops, const uint32_t* order,
                     uint64_t* result) {
    uint64_t sum = 0;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        uint32_t at = order != nullptr ? __ldcg(order + i) : i;
        sum += load<C>(reinterpret_cast<uint64_t>(base) + at * stride + (at * skew & (stride - 1)));
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    auto at = reinterpret_cast<uint64_t>(base);
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        uint64_t p = at;
        start = bench::now();
#pragma unroll 16
        for (uint32_t hop = 0; hop < hops; ++hop) p = load<C>(p);
        // Instructions issue in order: a use of the last address holds the clock read back. Nothing is written here, so
        // that only pages of the chain are touched.
        asm volatile("add.u64 %0, %0, %1;" : "+l"(sum) : "l"(p) : "memory");
        end = bench::now();
        if (hops < count) at = p;
    }
    result[1] = sum;
    result[0] = end - start;
}

/// One thread hops without any touching before; each hop goes to a page that this kernel has not read.
__global__ inline void walk_cold(char* base, uint32_t hops, uint64_t* result) {
    auto p = reinterpret_cast<uint64_t>(base);
    uint64_t start = bench::now();
#pragma unroll 4
    for (uint32_t hop = 0; hop < hops; ++hop) p = load<Cache::cg>(p);
    result[1] = p;
    result[0] = bench::now() - start;
}

/// As walk, but each hop is timed alone and its latency kept (`hops` of them).
template <Cache C>
__global__ void walk_each(char* base, uint32_t count, uint64_t stride, uint32_t hops, uint32_t* latency) {
    uint64_t sum = 0;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        sum += load<C>(reinterpret_cast<uint64_t>(base) + i * stride);
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    auto p = reinterpret_cast<uint64_t>(base);
    uint32_t use = static_cast<uint32_t>(sum);
    // A whole round first, so that what is timed is the steady state.
#pragma unroll 4
    for (uint32_t hop = 0; hop < count; ++hop) p = load<C>(p);
#pragma unroll 1
    for (uint32_t hop = 0; hop < hops; ++hop) {
        uint64_t start = bench::now();
        p = load<C>(p);
        // Instructions issue in order: the use of the loaded value holds the second clock read back.
        asm volatile("mad.lo.u32 %0, %0, 5, %1;" : "+r"(use) : "r"(static_cast<uint32_t>(p)) : "memory");
        uint64_t end = bench::now();
        latency[hop] = static_cast<uint32_t>(end - start);
    }
    if (use == 0x12345u) latency[0] = 0;
}

struct Chain {
    uint32_t count;
    uint64_t stride;
    uint64_t skew = 0;
    bool random = true;
};

/// Writes the chain and returns its elements in the order of a walk.
inline std::vector<uint32_t> prepare(char* base, const Chain& chain) {
    std::vector<uint32_t> ring = chain.random ? bench::sattolo(chain.count, 1) : bench::ring(chain.count);
    bench::Buffer<uint32_t> next(ring);
    lay_out<<<std::min<uint32_t>(256, (chain.count + 255) / 256), 256>>>(base, next.get(), chain.count, chain.stride,
                                                                         chain.skew);
    bench::finish();
    std::vector<uint32_t> order(chain.count);
    for (uint32_t i = 1; i < chain.count; ++i) order[i] = ring[order[i - 1]];
    return order;
}

/// Mean cycles per hop. `hops` is rounded to a multiple of 16.
template <Cache C>
double latency(char* base, const Chain& chain, uint32_t hops, const uint32_t* order = nullptr) {
    hops = std::max<uint32_t>(16, hops / 16 * 16);
    bench::Buffer<uint64_t> result(2);
    int threads = chain.count >= 1024 ? 256 : 32;
    walk<C><<<1, threads>>>(base, chain.count, chain.stride, chain.skew, hops, order, result.get());
    bench::finish();
    return static_cast<double>(result.download()[0]) / hops;
}

inline double first_touch(char* base, const Chain& chain, uint32_t hops) {
    prepare(base, chain);
    bench::Buffer<uint64_t> result(2);
    hops = std::max<uint32_t>(4, hops / 4 * 4);
    walk_cold<<<1, 1>>>(base, hops, result.get());
    bench::finish();
    return static_cast<double>(result.download()[0]) / hops;
}

}  // namespace chase
