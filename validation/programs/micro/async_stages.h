// SPDX-License-Identifier: Apache-2.0
//
// Kernels of async_copy that copy tiles some stages ahead of their use.
#pragma once

#include "async.h"

namespace {

__device__ __forceinline__ float sum_of(const float4* tile, uint32_t thread) {
    float sum = 0;
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
        const float4 v = tile[(thread + 16 * i) % 128];
        sum += v.x * v.y + v.z * v.w;
    }
    return sum;
}

template <int Stages>
__global__ void __launch_bounds__(128) tiles(const char* data, int count, float* sums, bench::Life* lives) {
    __shared__ float4 stages[Stages][128];
    const uint32_t thread = threadIdx.x;
    data += blockIdx.x * static_cast<size_t>(count) * 2048;
    touch(data, static_cast<uint32_t>(count) * 2048);
    float sum = 0;
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        __syncthreads();
        start = bench::now();
#pragma unroll
        for (int s = 0; s < Stages - 1; ++s) {
            copy<16, true>(address(&stages[s][thread]), data + s * 2048 + thread * 16);
            commit();
        }
#pragma unroll 1
        for (int tile = 0; tile < count; ++tile) {
            const int next = tile + Stages - 1;
            if (next < count) copy<16, true>(address(&stages[next % Stages][thread]), data + next * 2048 + thread * 16);
            commit();
            wait_group<Stages - 1>();
            __syncthreads();
            sum += sum_of(stages[tile % Stages], thread);
            __syncthreads();
        }
        end = bench::now();
    }
    sums[blockIdx.x * 128 + thread] = sum;
    if (thread == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

/// Warp 4 copies; a lane's copies are a stage's lines t, t + 32, ...
template <int Stages>
__global__ void __launch_bounds__(160) ring(const char* data, int count, float* sums, bench::Life* lives) {
    __shared__ float4 stages[Stages][128];
    __shared__ uint64_t full[Stages], empty[Stages];
    const uint32_t thread = threadIdx.x;
    data += blockIdx.x * static_cast<size_t>(count) * 2048;
    if (thread < Stages) init(address(&full[thread]), 32), init(address(&empty[thread]), 128);
    touch(data, static_cast<uint32_t>(count) * 2048);
    float sum = 0;
    uint64_t start = bench::now();
    if (thread >= 128) {
#pragma unroll 1
        for (int tile = 0; tile < count; ++tile) {
            const int s = tile % Stages;
            if (tile >= Stages) wait_phase<true>(address(&empty[s]), (tile / Stages - 1) & 1);
#pragma unroll
            for (int i = 0; i < 4; ++i)
                copy<16, true>(address(&stages[s][thread - 128 + 32 * i]), data + tile * 2048 + (thread - 128 + 32 * i) * 16);
            arrive_with_copies(address(&full[s]));
        }
        wait_group<0>();
    } else {
#pragma unroll 1
        for (int tile = 0; tile < count; ++tile) {
            const int s = tile % Stages;
            wait_phase<true>(address(&full[s]), (tile / Stages) & 1);
            sum += sum_of(stages[s], thread);
            arrive_only(address(&empty[s]));
        }
        sums[blockIdx.x * 128 + thread] = sum;
    }
    uint64_t end = bench::now();
    if (thread == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

}  // namespace
