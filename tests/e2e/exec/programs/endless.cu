// SPDX-License-Identifier: Apache-2.0
// Kernels that never end, each in the way that it is asked for.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

/// Waits for a flag that nobody sets.
__global__ void flag(volatile int* word) {
  while (word[0] == 0) {
  }
  word[1] = 1;
}

/// Half of the threads that the barrier expects never come.
__global__ void barrier(int* word) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
  word[threadIdx.x] = 1;
}

/// Block 0 takes the lock and ends with it.
__global__ void lock(int* word) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(word, 0, 1) != 0) {
  }
  if (blockIdx.x == 0) return;
  atomicExch(word, 0);
}

/// Each of two blocks holds the lock that the other wants.
__global__ void two_locks(int* words) {
  if (threadIdx.x != 0) return;
  const int mine = blockIdx.x, other = 1 - mine;
  while (atomicCAS(words + mine, 0, 1) != 0) {
  }
  __threadfence();
  while (*const_cast<volatile int*>(words + other) == 0) {
  }
  while (atomicCAS(words + other, 0, 1) != 0) {
  }
}

/// Ends: a long computation that looks at memory and changes nothing for a long time.
__global__ void longer(const int* words, int* out) {
  unsigned sum = threadIdx.x;
  for (int i = 0; i < 200000; ++i) sum = sum * 5 + static_cast<unsigned>(words[i % 8]) + 1;
  out[threadIdx.x] = static_cast<int>(sum);
}

int main(int argc, char** argv) {
  const char* wish = argc > 1 ? argv[1] : "";
  int* words = nullptr;
  cudaMalloc(&words, 4096);
  cudaMemset(words, 0, 4096);
  if (!std::strcmp(wish, "flag")) flag<<<2, 64>>>(words);
  if (!std::strcmp(wish, "barrier")) barrier<<<1, 64>>>(words);
  if (!std::strcmp(wish, "lock")) lock<<<4, 64>>>(words);
  if (!std::strcmp(wish, "two_locks")) two_locks<<<2, 64>>>(words);
  if (!std::strcmp(wish, "longer")) longer<<<1, 32>>>(words, words + 64);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaSuccess ? 0 : 1;
}
