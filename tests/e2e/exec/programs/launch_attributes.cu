// SPDX-License-Identifier: Apache-2.0
// Launches with attributes: a kernel that may start before its predecessor ends waits for it; a cooperative launch; a
// cluster of one. Checks itself.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "check.h"

__global__ void first(int* out) {
  out[threadIdx.x] = threadIdx.x;
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
__global__ void second(int* out) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  out[threadIdx.x] *= 3;
}
__global__ void together(int* out) {
  if (blockIdx.x == 1) out[0] = 5;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0) out[1] = out[0] + 1;
}

int main() {
  int* out = nullptr;
  CU(cudaMallocManaged(&out, 128));
  first<<<1, 32>>>(out);
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeCooperative;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  config.attrs = attributes;
  config.numAttrs = 2;
  CU(cudaLaunchKernelEx(&config, second, out));
  CU(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i)
    if (out[i] != 3 * i) return printf("FAILED %d: %d\n", i, out[i]), 1;
  attributes[1].val.cooperative = 1;
  config.gridDim = 2;
  CU(cudaLaunchKernelEx(&config, together, out));
  CU(cudaDeviceSynchronize());
  if (out[1] != 6) return printf("FAILED together: %d\n", out[1]), 1;
  // cuBLAS says so of each of its kernels for Hopper.
  CU(cudaFuncSetAttribute(first, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  if (cudaFuncSetAttribute(first, static_cast<cudaFuncAttribute>(99), 1) != cudaErrorInvalidValue)
    return printf("FAILED attribute\n"), 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
  out[4] = 0;
  CU(cudaLaunchKernelEx(&config, first, out));
  CU(cudaDeviceSynchronize());
  if (out[4] != 4) return printf("FAILED cluster of one\n"), 1;
  attributes[1].val.clusterDim.x = 2;
  const cudaError_t pair = cudaLaunchKernelEx(&config, first, out);  // clusters.cu has those that are executed
  if (pair != cudaErrorNotSupported && pair != cudaSuccess) return printf("FAILED cluster\n"), 1;
  printf("launch_attributes ok\n");
}
