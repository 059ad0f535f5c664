// SPDX-License-Identifier: Apache-2.0
// Kernels with instructions that are not emulated: reductions in surfaces, clusters.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void surface_adds(cudaSurfaceObject_t surface, float* out) {
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(threadIdx.x), "r"(0), "r"(1));
  out[threadIdx.x] = 1;
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clusters(float* out) {
  cooperative_groups::this_cluster().sync();
  out[threadIdx.x] = 1;
}
#else
__global__ void clusters(float*) {}
#endif

int main(int argc, char** argv) {
  float* out = nullptr;
  cudaMalloc(&out, 128);
  if (argc > 1 && !std::strcmp(argv[1], "clusters"))
    clusters<<<2, 32>>>(out);
  else
    surface_adds<<<1, 32>>>(0, out);
  std::printf("synchronize %d\n", cudaDeviceSynchronize());
}
