// SPDX-License-Identifier: Apache-2.0
// A kernel that starts a kernel, which needs functions of the driver that are not emulated.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void child(int* out) { out[threadIdx.x] = 1; }
__global__ void parent(int* out) {
  if (threadIdx.x == 0) child<<<1, 32>>>(out);
}

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 128);
  parent<<<1, 32>>>(out);
  std::printf("synchronize %d\n", cudaDeviceSynchronize());
}
