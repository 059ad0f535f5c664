// SPDX-License-Identifier: Apache-2.0
// Threads that fight for words and locks, within warps, blocks and the grid. Checks itself; with the argument `tries` it
// prints how often a compare-and-swap was tried for each success.
#include <cuda_runtime.h>

#include <cstring>

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

// One lane of each warp, all on one word of shared memory.
__global__ void lanes(unsigned long long* tries, int rounds) {
  __shared__ int cell;
  if (threadIdx.x == 0) cell = 0;
  __syncthreads();
  unsigned count = 0;
  if (threadIdx.x % 32 == 0)
    for (int i = 0; i < rounds; ++i) {
      int old, assumed;
      do {
        assumed = *static_cast<volatile int*>(&cell);
        old = atomicCAS(&cell, assumed, assumed + 1);
        ++count;
      } while (old != assumed);
    }
  atomicAdd(tries, static_cast<unsigned long long>(count));
}

// All lanes, on some words of shared memory.
__global__ void block(unsigned long long* tries, int words, int rounds) {
  __shared__ int cells[64];
  if (threadIdx.x < 64) cells[threadIdx.x] = 0;
  __syncthreads();
  unsigned count = 0;
  for (int i = 0; i < rounds; ++i) {
    int* const cell = &cells[(threadIdx.x * 7 + i * 5) % words];
    int old, assumed;
    do {
      assumed = *static_cast<volatile int*>(cell);
      old = atomicCAS(cell, assumed, assumed + 1);
      ++count;
    } while (old != assumed);
  }
  atomicAdd(tries, static_cast<unsigned long long>(count));
}

// On words of global memory, each in a line of its own; `reload`: reads again before each try.
__global__ void grid(int* data, unsigned long long* tries, int words, int rounds, bool reload) {
  unsigned count = 0;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < rounds; ++i) {
    int* const cell = data + (id * 7 + i * 5) % words * 32;
    int old = *static_cast<volatile int*>(cell), assumed;
    do {
      assumed = reload ? *static_cast<volatile int*>(cell) : old;
      old = atomicCAS(cell, assumed, assumed + 1);
      ++count;
    } while (old != assumed);
  }
  atomicAdd(tries, static_cast<unsigned long long>(count));
}

int print_tries() {
  unsigned long long* tries;
  int* data;
  CU(cudaMallocManaged(&tries, 8));
  CU(cudaMallocManaged(&data, 1024 * 128));
  const auto report = [&](const char* name, int a, int b, double successes) {
    cudaDeviceSynchronize();
    printf("%s %d %d: %.3f\n", name, a, b, static_cast<double>(*tries) / successes);
    *tries = 0;
  };
  *tries = 0;
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    lanes<<<4, 32 * warps>>>(tries, 50);
    report("lanes", warps, 1, 4. * warps * 50);
  }
  for (int threads : {64, 128, 256})
    for (int words : {1, 8, 64}) {
      block<<<4, threads>>>(tries, words, 20);
      report("block", threads, words, 4. * threads * 20);
    }
  for (bool reload : {false, true})
    for (int words : {64, 1024}) {
      grid<<<16, 256>>>(data, tries, words, 10, reload);
      report(reload ? "reload" : "grid", 16 * 256, words, 16. * 256 * 10);
      grid<<<132, 32>>>(data, tries, words, 10, reload);
      report(reload ? "reload" : "grid", 132 * 32, words, 132. * 32 * 10);
    }
  CU(cudaDeviceSynchronize());
  return 0;
}

__device__ unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Additions of floats in shared memory are loops around ATOMS.CAST.SPIN.
__global__ void add_floats(unsigned* cycles, int words, int rounds) {
  __shared__ float cells[64];
  if (threadIdx.x < 64) cells[threadIdx.x] = 0;
  __syncthreads();
  const unsigned start = clock();
  unsigned at = mix(threadIdx.x + 1);
  for (int i = 0; i < rounds; ++i) {
    atomicAdd(&cells[at % words], 1.f);
    at = at * 1664525u + 1013904223u;
    at ^= at >> 9;
  }
  const unsigned end = clock();
  if (threadIdx.x % 32 == 0) atomicAdd(cycles, end - start);
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += blockDim.x) atomicAdd(cycles + 1, static_cast<unsigned>(cells[i]));
}

int time_floats() {
  constexpr int kRounds = 32;
  unsigned* cycles;
  CU(cudaMallocManaged(&cycles, 8));
  for (int warps : {1, 2, 8, 32})
    for (int words : {1, 24, 64}) {
      cycles[0] = cycles[1] = 0;
      add_floats<<<1, 32 * warps>>>(cycles, words, kRounds);
      CU(cudaDeviceSynchronize());
      if (cycles[1] != 32u * warps * kRounds) return printf("FAILED floats %d %d: %u\n", warps, words, cycles[1]), 1;
      printf("floats %d %d: %.1f\n", warps, words, cycles[0] / static_cast<double>(warps) / kRounds);
    }
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "tries")) return print_tries();
  if (argc > 1 && !std::strcmp(argv[1], "floats")) return time_floats();
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
