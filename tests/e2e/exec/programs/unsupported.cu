// SPDX-License-Identifier: Apache-2.0
// A kernel with an instruction that is not emulated: a reduction in a surface.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void surface_adds(cudaSurfaceObject_t surface, float* out) {
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(threadIdx.x), "r"(0), "r"(1));
  out[threadIdx.x] = 1;
}
int main() {
  float* out = nullptr;
  cudaMalloc(&out, 128);
  surface_adds<<<1, 32>>>(0, out);
  std::printf("synchronize %d\n", cudaDeviceSynchronize());
}
