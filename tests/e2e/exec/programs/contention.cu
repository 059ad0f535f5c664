// SPDX-License-Identifier: Apache-2.0
// Threads that fight for words and locks, within warps, blocks and the grid. Checks itself.
#include <cuda_runtime.h>

#include "check.h"

__device__ void add(float* to) {
  volatile int* word = reinterpret_cast<volatile int*>(to);
  int old, assumed;
  do {
    assumed = *word;
    old = atomicCAS(const_cast<int*>(word), assumed, __float_as_int(__int_as_float(assumed) + 1.f));
  } while (old != assumed);
}

// Loops within a loop, then a barrier: threads that fail for long are gone on without at one place, not at the other.
__global__ void shared_adds(float* sums, int words, int rounds) {
  __shared__ float cells[64];
  if (threadIdx.x < 64) cells[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < rounds; ++i) add(&cells[(threadIdx.x * 7 + i * 5) % words]);
  __syncthreads();
  if (threadIdx.x < words) atomicAdd(sums, cells[threadIdx.x]);
}

__global__ void global_adds(float* sums, int rounds) {
  for (int i = 0; i < rounds; ++i) add(sums);
}

// The winner leaves the loop that the others of its warp are still in.
__global__ void plain_lock(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *reinterpret_cast<volatile int*>(count) = *reinterpret_cast<volatile int*>(count) + 1;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void ticket_lock(unsigned* next, volatile unsigned* serving, int* count) {
  const unsigned mine = atomicAdd(next, 1u);
  while (*serving != mine) {
  }
  __threadfence();
  *reinterpret_cast<volatile int*>(count) = *reinterpret_cast<volatile int*>(count) + 1;
  __threadfence();
  *serving = mine + 1;
}

int main() {
  float* sums;
  int* words;
  CU(cudaMallocManaged(&sums, 4));
  CU(cudaMallocManaged(&words, 16));
  for (int threads = 32; threads <= 128; threads += 32) {
    *sums = 0;
    shared_adds<<<40, threads>>>(sums, 1, 20);
    CU(cudaDeviceSynchronize());
    if (*sums != 40.f * threads * 20) return printf("FAILED shared %d: %g\n", threads, *sums), 1;
  }
  *sums = 0;
  global_adds<<<12, 64>>>(sums, 4);
  CU(cudaDeviceSynchronize());
  if (*sums != 12 * 64 * 4) return printf("FAILED global: %g\n", *sums), 1;
  words[0] = words[1] = words[2] = words[3] = 0;
  plain_lock<<<6, 64>>>(words, words + 1);
  CU(cudaDeviceSynchronize());
  if (words[1] != 6 * 64) return printf("FAILED lock: %d\n", words[1]), 1;
  words[0] = words[1] = words[2] = 0;
  ticket_lock<<<6, 64>>>(reinterpret_cast<unsigned*>(words), reinterpret_cast<unsigned*>(words + 1), words + 2);
  CU(cudaDeviceSynchronize());
  if (words[2] != 6 * 64) return printf("FAILED ticket: %d\n", words[2]), 1;
  printf("contention ok\n");
}
