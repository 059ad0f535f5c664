// SPDX-License-Identifier: Apache-2.0
// Times a chain of dependent single-precision multiply-adds, as a microbenchmark does on a real GPU.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kLength = 256;

__global__ void chain(float x, float y, float* out, long long* cycles) {
  float value = x;
  const long long start = clock64();
#pragma unroll
  for (int i = 0; i < kLength; ++i) value = fmaf(value, x, y);
  *out = value;
  cycles[0] = clock64() - start;
}

int main() {
  float* out = nullptr;
  long long *cycles = nullptr, host = 0;
  cudaMalloc(&out, 4);
  cudaMalloc(&cycles, 8);
  for (int run = 0; run < 2; ++run) {  // the first also waits for instructions
    chain<<<1, 1>>>(0.5f, 0.25f, out, cycles);
    if (cudaMemcpy(&host, cycles, 8, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    std::printf("run %d: %d instructions, %lld cycles\n", run, kLength, host);
  }
}
