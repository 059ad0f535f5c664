// SPDX-License-Identifier: Apache-2.0
//
// PTX of asynchronous copies and of barriers in shared memory, and what measures them at several places.
#pragma once

#include "bench.h"

namespace {

constexpr uint32_t kLine = 512;  ///< bytes of a copy of 32 lanes of 16 bytes

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HAS_COPIES 1
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAS_TRY_WAIT 1
#endif

__device__ __forceinline__ uint32_t address(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

template <int Bytes, bool Bypass>
__device__ __forceinline__ void copy(uint32_t to, const char* from) {
#ifdef HAS_COPIES
    if (Bypass)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
#endif
}
__device__ __forceinline__ void commit() {
#ifdef HAS_COPIES
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int Left>
__device__ __forceinline__ void wait_group() {
#ifdef HAS_COPIES
    asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
#endif
}

__device__ __forceinline__ void init(uint32_t barrier, uint32_t count) {
#ifdef HAS_COPIES
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
#endif
}
__device__ __forceinline__ uint64_t arrive(uint32_t barrier) {
    uint64_t state = 0;
#ifdef HAS_COPIES
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory");
#endif
    return state;
}
__device__ __forceinline__ void arrive_only(uint32_t barrier) {
#ifdef HAS_COPIES
    asm volatile("{.reg .b64 t; mbarrier.arrive.shared.b64 t, [%0];}" ::"r"(barrier) : "memory");
#endif
}
/// The thread's copies so far arrive for it when they are done.
__device__ __forceinline__ void arrive_with_copies(uint32_t barrier) {
#ifdef HAS_COPIES
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
#endif
}
template <bool Try>
__device__ __forceinline__ uint32_t is_over(uint32_t barrier, uint32_t phase) {
    uint32_t over = 1;
#ifdef HAS_TRY_WAIT
    if (Try)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over) : "r"(barrier), "r"(phase) : "memory");
    else
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over) : "r"(barrier), "r"(phase) : "memory");
#endif
    return over;
}
template <bool Try>
__device__ __forceinline__ void wait_phase(uint32_t barrier, uint32_t phase) {
#pragma unroll 1
    while (is_over<Try>(barrier, phase) == 0) {
    }
}

__device__ __forceinline__ void load_past_l1(const char* from) {
    uint32_t word;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
    if (word == 0xdeadbeef) asm volatile("trap;");
}

/// Brings all lines to the L2 and past the L1.
__device__ void touch(const char* data, uint32_t bytes) {
#pragma unroll 1
    for (uint32_t at = threadIdx.x * 32; at < bytes; at += blockDim.x * 32) load_past_l1(data + at);
    __syncthreads();
}

/// The first round, from `dry` bytes further on, brings code, and lines to the L1 if `dry` is 0.
template <class Body>
__device__ void at_places(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles, Body body) {
    __shared__ uint32_t taken[bench::kPlaces];
    touch(data, dry + step * bench::kPlaces);
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
#pragma unroll 1
        for (uint32_t place = 0; place < bench::kPlaces; ++place) {
            const char* from = data + place * step + (round == 0 ? dry : 0);
            uint64_t start = bench::now();
            body(from);
            uint64_t end = bench::now();
            if (threadIdx.x == 0) taken[place] = static_cast<uint32_t>(end - start);
            __syncwarp();
        }
    }
    if (threadIdx.x < bench::kPlaces) cycles[threadIdx.x] = taken[threadIdx.x];
}

}  // namespace
