// SPDX-License-Identifier: Apache-2.0
// Functions of the runtime that only old programs call.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <cstdio>

#include "check.h"

texture<float, cudaTextureType1D, cudaReadModeElementType> reference;

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int* data = nullptr;
  CU(cudaMalloc(&data, 128));
  fill<<<1, 32>>>(data);
  CU(cudaThreadSynchronize());
  size_t bytes = 0;
  CU(cudaThreadSetLimit(cudaLimitStackSize, 4096));
  CU(cudaThreadGetLimit(&bytes, cudaLimitStackSize));
  std::printf("stack %zu, unknown limit %d\n", bytes, cudaThreadGetLimit(&bytes, static_cast<cudaLimit>(99)));
  cudaGetLastError();
  cudaFuncCache cache;
  CU(cudaThreadSetCacheConfig(cudaFuncCachePreferNone));
  CU(cudaThreadGetCacheConfig(&cache));
  double number = 1.1;
  CU(cudaSetDoubleForDevice(&number));
  CU(cudaSetDoubleForHost(&number));
  std::printf("cache %d, number %s\n", cache, number == 1.1 ? "kept" : "changed");
  CU(cudaProfilerInitialize("config", "output", cudaCSV));
  const textureReference* found = nullptr;
  CU(cudaGetTextureReference(&found, &reference));
  std::printf("reference %s, none %d\n", found == &reference ? "found" : "lost", cudaGetTextureReference(&found, &cache));
  cudaGetLastError();

  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t from, to;
  const float values[4] = {1, 2, 3, 4};
  float back[4] = {};
  CU(cudaMallocArray(&from, &format, 4));
  CU(cudaMallocArray(&to, &format, 4));
  CU(cudaMemcpyToArray(from, 0, 0, values, sizeof values, cudaMemcpyHostToDevice));
  CU(cudaMemcpyArrayToArray(to, 0, 0, from, 0, 0, sizeof values));
  CU(cudaMemcpyFromArray(back, to, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
  std::printf("array %g %g %g %g\n", back[0], back[1], back[2], back[3]);
  CU(cudaThreadExit());
  std::printf("done\n");
}
