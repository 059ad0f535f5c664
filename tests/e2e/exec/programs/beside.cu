// SPDX-License-Identifier: Apache-2.0
// Reads a row above its first array and writes behind it, in several launches, as well-known programs do.
#include <cuda_runtime.h>

#include <cstdio>

#include "check.h"

constexpr int kRow = 64;

__global__ void above(const float* in, float* out) { out[threadIdx.x] = in[static_cast<int>(threadIdx.x) - kRow] + 1; }
__global__ void behind(float* out) { out[threadIdx.x + kRow] = threadIdx.x; }

int main() {
  float *first = nullptr, *second = nullptr, back[kRow];
  CU(cudaMalloc(&first, kRow * 4));
  CU(cudaMalloc(&second, kRow * 4));
  above<<<1, kRow>>>(first, second);
  above<<<1, kRow>>>(first, second);
  CU(cudaMemcpy(back, second, sizeof back, cudaMemcpyDeviceToHost));
  std::printf("read %g\n", back[kRow - 1]);
  behind<<<1, kRow>>>(second);
  CU(cudaDeviceSynchronize());
  std::printf("wrote\n");
}
