// SPDX-License-Identifier: Apache-2.0
//
// Bandwidth of shared memory. `smem.scan<bits>`: the loop by which the V100 report measures the L1 (listing 3.1), over
// shared memory: every warp of a block of 1024 threads scans an array of 1024 elements and adds up what it loads.
// `smem.update.w<n>`: every thread loads n words, computes and stores them back, with as many threads as an SM holds (section
// 3.6), 16 rounds of it; loads and stores both count, start and end of the kernel too. Bytes per cycle and SM.
#include "bench.h"

namespace {

constexpr uint32_t kThreads = 1024;
constexpr uint32_t kElements = 1024;

__device__ __forceinline__ uint32_t place(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

__device__ __forceinline__ void add_loaded(float& sum, const float* at) {
    asm volatile("{.reg .f32 d; ld.shared.f32 d, [%1]; add.f32 %0, d, %0;}" : "+f"(sum) : "r"(place(at)) : "memory");
}
__device__ __forceinline__ void add_loaded(double& sum, const double* at) {
    asm volatile("{.reg .f64 d; ld.shared.f64 d, [%1]; add.f64 %0, d, %0;}" : "+d"(sum) : "r"(place(at)) : "memory");
}

template <class T>
__global__ void scan(T* sink, bench::Life* lives) {
    __shared__ T data[kElements];
    uint32_t thread = threadIdx.x;
    T sum = 0;
    for (uint32_t i = thread; i < kElements; i += kThreads) data[i] = static_cast<T>(i);
    __syncthreads();
    uint64_t start = bench::now();
    for (uint32_t i = 0; i < kElements; i += kThreads) {
        for (uint32_t j = 0; j < kThreads; j += 32) add_loaded(sum, data + i + (thread + j) % kThreads);
    }
    __syncthreads();
    uint64_t end = bench::now();
    sink[thread] = sum;
    if (thread % 32 == 0) lives[thread / 32] = {start, end, bench::sm_id(), 0};
}

template <class T>
double scanned_per_cycle() {
    bench::Buffer<T> sink(kThreads);
    bench::Buffer<bench::Life> lives(kThreads / 32);
    // The second launch finds the code in the caches.
    for (int launch = 0; launch < 2; ++launch) {
        scan<T><<<1, kThreads>>>(sink.get(), lives.get());
        bench::finish();
    }
    return static_cast<double>(kThreads / 32) * kElements * sizeof(T) / static_cast<double>(bench::span(lives.download()));
}

template <uint32_t kWords>
__global__ void update(uint32_t rounds, float factor, float* sink, bench::Life* lives) {
    __shared__ float data[kWords * kThreads];
    uint64_t start = bench::now();
    for (uint32_t u = 0; u < kWords; ++u) data[u * kThreads + threadIdx.x] = static_cast<float>(threadIdx.x);
    uint32_t at = place(data + threadIdx.x);
#pragma unroll 1
    for (uint32_t round = 0; round < rounds; ++round) {
        float v[kWords];
#pragma unroll
        for (uint32_t u = 0; u < kWords; ++u) {
            asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v[u]) : "r"(at + u * kThreads * 4) : "memory");
        }
#pragma unroll
        for (uint32_t u = 0; u < kWords; ++u) {
            asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + u * kThreads * 4), "f"(v[u] * factor + 1.0f) : "memory");
        }
    }
    __syncthreads();
    sink[blockIdx.x * kThreads + threadIdx.x] = data[threadIdx.x];
    uint64_t end = bench::now();
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

template <uint32_t Words>
void report_update(uint32_t rounds) {
    cudaDeviceProp device = bench::device();
    int per_sm = device.maxThreadsPerMultiProcessor / static_cast<int>(kThreads);
    auto blocks = static_cast<std::size_t>(per_sm * device.multiProcessorCount);
    bench::Buffer<float> sink(blocks * kThreads);
    bench::Buffer<bench::Life> lives(blocks);
    double cycles = 0;
    for (int launch = 0; launch < 2; ++launch) {
        update<Words><<<static_cast<int>(blocks), kThreads>>>(rounds, 0.5f, sink.get(), lives.get());
        bench::finish();
        cycles = static_cast<double>(bench::span(lives.download()));
    }
    double bytes = 2.0 * 4 * Words * kThreads * per_sm;  // loaded and stored in one round
    bench::emit("smem.update.w" + std::to_string(Words), bytes * rounds / cycles, "B/cycle/SM");
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    bench::emit("smem.scan32", scanned_per_cycle<float>(), "B/cycle/SM");
    bench::emit("smem.scan64", scanned_per_cycle<double>(), "B/cycle/SM");
    auto rounds = static_cast<uint32_t>(args.number("rounds", 16));
    report_update<1>(rounds);
    report_update<4>(rounds);
    return 0;
}
