// SPDX-License-Identifier: Apache-2.0
//
// Whether a warp arrives at a barrier ahead of the accesses to shared memory that wait in its queue:
// barrier_queue_h100.txt in validation/measured/outputs.tar.xz. Each warp of one block repeats `k` stores or loads without conflicts, with or without a
// barrier behind them. Cycles for each round, the least of five times 32.
//   nvcc -arch=sm_90 -O3 -o barrier_queue barrier_queue.cu && ./barrier_queue
#include <algorithm>
#include <cstdio>

#include <cuda_runtime.h>

namespace {

constexpr int kRounds = 32, kTimes = 5, kThreads = 1024;

enum class Kind { store, load };

template <Kind What, int K, bool Barrier>
__global__ void rounds(unsigned* out) {
    extern __shared__ unsigned words[];
    for (int i = 0; i < 8; ++i) words[threadIdx.x + kThreads * i] = threadIdx.x;
    unsigned sum = 0;
    long long least = 1LL << 60;
    for (int time = 0; time < kTimes; ++time) {
        __syncthreads();
        const long long begin = clock64();
#pragma unroll 8
        for (int round = 0; round < kRounds; ++round) {
#pragma unroll
            for (int j = 0; j < K; ++j) {
                volatile unsigned* word = words + threadIdx.x + kThreads * j;
                if (What == Kind::store) {
                    *word = static_cast<unsigned>(round);
                } else {
                    unsigned got;
                    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(const_cast<unsigned*>(word)));
                    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(got) : "r"(at));
                    if (round == kRounds - 1) sum += got;
                }
            }
            if (Barrier) asm volatile("bar.sync 0;" ::: "memory");
        }
        __syncthreads();
        least = min(least, clock64() - begin);
    }
    if (threadIdx.x == 0) out[0] = static_cast<unsigned>(least);
    if (sum == 12345) out[1] = sum;
}

template <Kind What, int K, bool Barrier>
void measure(unsigned* out) {
    std::printf("%s k=%d %s:", What == Kind::store ? "sts" : "lds", K, Barrier ? "barrier" : "alone");
    for (const int warps : {1, 2, 4, 8, 16, 32}) {
        rounds<What, K, Barrier><<<1, 32 * warps, 32768>>>(out);
        unsigned cycles = 0;
        cudaMemcpy(&cycles, out, sizeof(cycles), cudaMemcpyDeviceToHost);
        std::printf(" %.2f", cycles / static_cast<double>(kRounds));
    }
    std::printf("\n");
}

template <int K>
void measure_all(unsigned* out) {
    measure<Kind::store, K, true>(out);
    measure<Kind::store, K, false>(out);
    measure<Kind::load, K, true>(out);
    measure<Kind::load, K, false>(out);
}

}  // namespace

int main() {
    unsigned* out = nullptr;
    cudaMalloc(&out, 2 * sizeof(unsigned));
    std::printf("cycles for 1, 2, 4, 8, 16 and 32 warps\n");
    measure<Kind::store, 0, true>(out);
    measure_all<1>(out);
    measure_all<2>(out);
    measure_all<4>(out);
    measure_all<8>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? 0 : 1;
}
