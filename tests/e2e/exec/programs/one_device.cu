// SPDX-License-Identifier: Apache-2.0
// A grid as large as the GPU synchronises as a whole; what needs a second device or another process is refused. Prints what
// each call returns.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

__device__ int arrived;
__global__ void whole_grid(int* seen) {
  if (threadIdx.x == 0) atomicAdd(&arrived, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) seen[blockIdx.x] = arrived;
}

#define PRINT(call) std::printf("%s %s\n", #call, cudaGetErrorName(call))

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  int blocks = 0, can = 1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, whole_grid, 256, 0);
  blocks *= properties.multiProcessorCount;
  int* seen;
  cudaMallocManaged(&seen, blocks * sizeof(int));
  void* arguments[] = {&seen};
  void* const kernel = reinterpret_cast<void*>(whole_grid);
  std::printf("launch %s\n", cudaGetErrorName(cudaLaunchCooperativeKernel(kernel, blocks, 256, arguments)));
  std::printf("synchronize %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int all = 0;
  for (int i = 0; i < blocks; ++i) all += seen[i] == blocks;
  std::printf("all blocks saw all: %s\n", all == blocks ? "yes" : "no");
  std::printf("one more %s\n", cudaGetErrorName(cudaLaunchCooperativeKernel(kernel, blocks + 1, 256, arguments)));
  cudaLaunchParams several[2] = {};
  PRINT(cudaLaunchCooperativeKernelMultiDevice(several, 2, 0));
  PRINT(cudaDeviceCanAccessPeer(&can, 0, 1));
  PRINT(cudaDeviceEnablePeerAccess(1, 0));
  PRINT(cudaMemcpyPeer(seen, 0, seen, 1, 4));
  PRINT(cudaSetDevice(1));
  cudaIpcMemHandle_t memory = {};
  cudaIpcEventHandle_t shared = {};
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess);
  void* opened;
  PRINT(cudaIpcGetMemHandle(&memory, seen));
  PRINT(cudaIpcOpenMemHandle(&opened, memory, cudaIpcMemLazyEnablePeerAccess));
  PRINT(cudaIpcCloseMemHandle(seen));
  PRINT(cudaIpcGetEventHandle(&shared, event));
  PRINT(cudaIpcOpenEventHandle(&event, shared));
}
