// SPDX-License-Identifier: Apache-2.0
//
// Kernels of async_copy that measure groups of copies, and copies whose end is an arrival.
#pragma once

#include "async.h"

namespace {

template <int Bytes, bool Bypass, int Copies>
__global__ void group(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    __shared__ __align__(16) char tile[32 * kLine];
    const uint32_t to = address(tile) + threadIdx.x * Bytes;
    at_places(data + threadIdx.x * Bytes, step, dry, cycles, [&](const char* from) {
#pragma unroll
        for (int i = 0; i < Copies; ++i) copy<Bytes, Bypass>(to + i * 32 * Bytes, from + i * 32 * Bytes);
        commit();
        wait_group<0>();
    });
}

__global__ void load16(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    at_places(data + threadIdx.x * 16, step, dry, cycles, [&](const char* from) {
        uint4 v;
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from) : "memory");
        if ((v.x ^ v.y ^ v.z ^ v.w) == 0xdeadbeef) asm volatile("trap;");
    });
}

template <int Left>
__global__ void flight(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    __shared__ __align__(16) char tile[8 * kLine];
    const uint32_t to = address(tile) + threadIdx.x * 16;
    at_places(data + threadIdx.x * 16, step, dry, cycles, [&](const char* from) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            copy<16, true>(to + i * kLine, from + i * kLine);
            commit();
        }
        wait_group<Left>();
    });
}

template <int Left>
__global__ void order(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    __shared__ __align__(16) char tile[4 * kLine];
    const uint32_t to = address(tile) + threadIdx.x * 16;
    at_places(data + threadIdx.x * 16, step, dry, cycles, [&](const char* from) {
        copy<16, true>(to, from);
        commit();
#pragma unroll
        for (int i = 1; i < 4; ++i) {
            copy<4, false>(to + i * kLine, from + i * kLine);
            commit();
        }
        wait_group<Left>();
    });
}

template <int Copies>
__global__ void copies_arrive(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    __shared__ __align__(16) char tile[32 * kLine];
    __shared__ uint64_t barrier;
    const uint32_t to = address(tile) + threadIdx.x * 16, at = address(&barrier);
    uint32_t phase = 0;
    if (threadIdx.x == 0) init(at, 32);
    __syncthreads();
    at_places(data + threadIdx.x * 16, step, dry, cycles, [&](const char* from) {
#pragma unroll
        for (int i = 0; i < Copies; ++i) copy<16, true>(to + i * kLine, from + i * kLine);
        arrive_with_copies(at);
        wait_phase<true>(at, phase);
        phase ^= 1;
    });
}

}  // namespace
