// SPDX-License-Identifier: Apache-2.0
//
// Kernels of async_copy that measure barriers in shared memory.
#pragma once

#include "async.h"

namespace {

constexpr int kChain = 16;

/// Each arrival's address depends on the state that the one before returned. A barrier for each lane.
__global__ void arrivals_chain(uint32_t zero, uint32_t* cycles) {
    __shared__ uint64_t barriers[32];
    uint32_t at = address(&barriers[threadIdx.x]);
    init(at, 1);
    __syncthreads();
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (int i = 0; i < kChain; ++i) at += static_cast<uint32_t>(arrive(at) >> 32) & zero;
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start), cycles[1] = at;
}

template <bool Try>
__global__ void checks_chain(uint32_t* cycles) {
    __shared__ uint64_t barrier;
    uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, blockDim.x);
    __syncthreads();
    arrive_only(at);
    wait_phase<false>(at, 0);
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (int i = 0; i < kChain; ++i) at += is_over<Try>(at, 0) - 1;
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start), cycles[1] = at;
}

__global__ void arrivals(uint32_t* cycles) {
    __shared__ uint64_t barrier;
    const uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, 1 << 18);
    __syncthreads();
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (int i = 0; i < 4 * kChain; ++i) arrive_only(at);
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start);
}

/// Warp 0 arrives, warp 1 waits for it.
template <bool Try>
__global__ void wake(uint32_t chain, float factor, uint32_t* cycles) {
    __shared__ uint64_t barrier, times[2];
    const uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, 32);
    float x = factor;
    uint32_t phase = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round, phase ^= 1) {
        __syncthreads();
        if (threadIdx.x < 32) {
#pragma unroll 1
            for (uint32_t i = 0; i < chain; i += 8)
#pragma unroll
                for (int j = 0; j < 8; ++j) x = x * factor + 1.0f;
            if (x == 12345.0f) asm volatile("trap;");
            uint64_t time = bench::now();
            arrive_only(at);
            if (threadIdx.x == 0) times[0] = time;
        } else {
            wait_phase<Try>(at, phase);
            uint64_t time = bench::now();
            if (threadIdx.x == 32) times[1] = time;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(times[1] - times[0]);
}

/// Warp 0 arrives, all others wait for it; each counts its checks.
template <bool Try>
__global__ void wakes(uint32_t chain, float factor, uint32_t* cycles) {
    __shared__ uint64_t barrier, times[32];
    __shared__ uint32_t checks[32];
    const uint32_t at = address(&barrier), warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x == 0) init(at, 32);
    float x = factor;
    uint32_t phase = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round, phase ^= 1) {
        uint32_t count = 1;
        __syncthreads();
        uint64_t time = 0;
        if (warp == 0) {
#pragma unroll 1
            for (uint32_t i = 0; i < chain; i += 8)
#pragma unroll
                for (int j = 0; j < 8; ++j) x = x * factor + 1.0f;
            if (x == 12345.0f) asm volatile("trap;");
            time = bench::now();
            arrive_only(at);
        } else {
#pragma unroll 1
            while (is_over<Try>(at, phase) == 0) ++count;
            time = bench::now();
        }
        if (threadIdx.x % 32 == 0) times[warp] = time, checks[warp] = count;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    uint32_t first = ~0u, last = 0, most = 0;
    for (uint32_t i = 1; i < warps; ++i) {
        const auto taken = static_cast<uint32_t>(times[i] - times[0]);
        first = min(first, taken), last = max(last, taken), most = max(most, checks[i]);
    }
    cycles[0] = first, cycles[1] = last, cycles[2] = most;
}

/// One TRYWAIT of a phase that does not end.
template <bool Hint>
__global__ void limit(uint32_t nanoseconds, uint32_t* cycles) {
    __shared__ uint64_t barrier;
    const uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, 32);
    __syncthreads();
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        uint32_t over = 0;
        start = bench::now();
        if (Hint) {
#ifdef HAS_TRY_WAIT
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0, %2; selp.u32 %0, 1, 0, p;}"
                         : "=r"(over) : "r"(at), "r"(nanoseconds) : "memory");
#endif
        } else {
            over = is_over<true>(at, 0);
        }
        if (over != 0) asm volatile("trap;");
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start);
}

__global__ void all_arrive(uint32_t* cycles) {
    __shared__ uint64_t barrier;
    const uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, blockDim.x);
    uint64_t start = 0, end = 0;
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (uint32_t i = 0; i < kChain; ++i) {
            arrive_only(at);
            wait_phase<true>(at, i & 1);
        }
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start);
}

}  // namespace
