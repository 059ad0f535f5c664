// SPDX-License-Identifier: Apache-2.0
//
// Streaming kernels that read, write or copy an array with 16-byte accesses, four in flight per thread.
#pragma once

#include "bench.h"

namespace bandwidth {

using bench::finish;
using bench::Life;
using bench::now;
using bench::sm_id;

enum class Path { ca, cg };

template <Path P>
__device__ __forceinline__ uint4 load(const uint4* at) {
    uint4 v;
    if (P == Path::ca) {
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
    } else {
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
    }
    return v;
}

__device__ __forceinline__ uint32_t fold(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

/// Every block reads `count` 16-byte elements, starting at its own element blockIdx * shift and wrapping at `count`,
/// `passes` times. Needs count to be a multiple of 4 * blockDim. Timed by one Life per block, after one pass untimed.
template <Path P>
__global__ void read_all(const uint4* data, uint32_t count, uint32_t shift, int passes, uint32_t* sink, Life* lives) {
    uint32_t sum = 0;
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t origin = static_cast<uint32_t>(static_cast<uint64_t>(blockIdx.x) * shift % count);
#pragma unroll 1
    for (int phase = 0; phase < 2; ++phase) {
        __syncthreads();
        start = now();
#pragma unroll 1
        for (int pass = 0; pass < (phase == 0 ? 1 : passes); ++pass) {
#pragma unroll 1
            for (uint32_t i = threadIdx.x; i < count; i += 4 * blockDim.x) {
                uint4 v[4];
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    uint32_t at = origin + i + u * blockDim.x;
                    v[u] = load<P>(data + (at < count ? at : at - count));
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) sum ^= fold(v[u]);
            }
        }
        __syncthreads();
        end = now();
    }
    if (sum == 0x12345u) *sink = sum;
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, sm_id(), 0};
}

/// The grid reads the array once, each element by one thread.
template <Path P>
__global__ void read_once(const uint4* data, uint64_t count, uint32_t* sink, Life* lives) {
    uint64_t start = now();
    uint32_t sum = 0;
    uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += 4 * step) {
        uint4 v[4] = {};
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            if (i + u * step < count) v[u] = load<P>(data + i + u * step);
        }
#pragma unroll
        for (int u = 0; u < 4; ++u) sum ^= fold(v[u]);
    }
    if (sum == 0x12345u) *sink = sum;
    __syncthreads();
    uint64_t end = now();
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, sm_id(), 0};
}

template <bool Read>
__global__ void write_once(const uint4* from, uint4* to, uint64_t count, Life* lives) {
    uint64_t start = now();
    uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += 4 * step) {
        uint4 v[4] = {};
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            if (Read && i + u * step < count) v[u] = load<Path::cg>(from + i + u * step);
        }
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            if (i + u * step < count) to[i + u * step] = v[u];
        }
    }
    __syncthreads();
    uint64_t end = now();
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, sm_id(), 0};
}

/// Milliseconds of one launch by events.
template <class Launch>
double milliseconds(Launch launch) {
    cudaEvent_t start;
    cudaEvent_t stop;
    CUDA_OK(cudaEventCreate(&start));
    CUDA_OK(cudaEventCreate(&stop));
    CUDA_OK(cudaEventRecord(start));
    launch();
    CUDA_OK(cudaEventRecord(stop));
    finish();
    float taken = 0;
    CUDA_OK(cudaEventElapsedTime(&taken, start, stop));
    CUDA_OK(cudaEventDestroy(start));
    CUDA_OK(cudaEventDestroy(stop));
    return taken;
}

}  // namespace bandwidth
