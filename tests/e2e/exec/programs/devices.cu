// SPDX-License-Identifier: Apache-2.0
// Two GPUs in one process. Prints what it finds; `devices forbidden` reads memory of a device that is no open peer.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>

#include "check.h"

constexpr int kCount = 1 << 16;
constexpr std::size_t kBytes = kCount * sizeof(int);
#define PRINT(call) std::printf("%s %s\n", #call, cudaGetErrorName(call))

__device__ int calls;
__global__ void fill(int* to, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = i * factor;
  if (i == 0) atomicAdd(&calls, 1);
}
__global__ void add(int* to, const int* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] += from[i];
}

static int* host;
static bool holds(const int* device, int factor) {
  std::memset(host, 0, kBytes);
  cudaMemcpy(host, device, kBytes, cudaMemcpyDefault);
  for (int i = 0; i < kCount; ++i)
    if (host[i] != i * factor) return false;
  return true;
}
#define HOLDS(memory, factor) std::printf("%s is %d i: %s\n", #memory, factor, holds(memory, factor) ? "yes" : "no")

static int pools(int* on_first) {
  CU(cudaSetDevice(1));
  cudaMemPool_t pool;
  CU(cudaDeviceGetDefaultMemPool(&pool, 1));
  int* from_pool;
  CU(cudaMallocAsync(reinterpret_cast<void**>(&from_pool), kBytes, nullptr));
  cudaMemAccessDesc open = {};
  open.location.type = cudaMemLocationTypeDevice;
  open.location.id = 0;
  open.flags = cudaMemAccessFlagsProtReadWrite;
  CU(cudaMemPoolSetAccess(pool, &open, 1));
  CU(cudaSetDevice(0));
  fill<<<kCount / 256, 256>>>(from_pool, 7);
  fill<<<kCount / 256, 256>>>(on_first, 2);
  add<<<kCount / 256, 256>>>(on_first, from_pool);
  HOLDS(on_first, 9);
  CU(cudaFreeAsync(from_pool, nullptr));
  return 0;
}

static int copies_and_events(int* on_first, int* on_second) {
  cudaStream_t first, second;
  cudaEvent_t begin, end, other;
  CU(cudaSetDevice(0));
  CU(cudaStreamCreate(&first));
  CU(cudaEventCreate(&begin));
  CU(cudaEventCreate(&end));
  CU(cudaSetDevice(1));
  CU(cudaStreamCreate(&second));
  CU(cudaEventCreate(&other));
  fill<<<kCount / 256, 256, 0, second>>>(on_second, 3);
  CU(cudaEventRecord(other, second));
  PRINT(cudaEventRecord(other, first));  // the event is of device 1, the stream of device 0
  fill<<<kCount / 256, 256, 0, first>>>(on_second, 1);
  PRINT(cudaGetLastError());
  CU(cudaStreamWaitEvent(first, other, 0));
  CU(cudaEventRecord(begin, first));
  CU(cudaMemcpyPeerAsync(on_first, 0, on_second, 1, kBytes, first));
  CU(cudaEventRecord(end, first));
  CU(cudaStreamSynchronize(first));
  CU(cudaEventSynchronize(other));
  float milliseconds = 0;
  CU(cudaEventElapsedTime(&milliseconds, begin, end));
  std::printf("copied in %.3f us\n", milliseconds * 1e3);
  PRINT(cudaEventElapsedTime(&milliseconds, begin, other));
  HOLDS(on_first, 3);
  return 0;
}

int main(int argc, char**) {
  int count = 0, device = -1, can[2] = {};
  CU(cudaGetDeviceCount(&count));
  std::printf("%d devices\n", count);
  PRINT(cudaSetDevice(count));
  PRINT(cudaDeviceCanAccessPeer(&can[0], 0, count));
  if (count < 2) return 0;
  int *on_first, *on_second, *shared;
  CU(cudaMallocHost(&host, kBytes));
  CU(cudaMallocHost(&shared, kBytes));
  for (int i = 0; i < 2; ++i) {
    CU(cudaSetDevice(i));
    cudaDeviceProp properties;
    CU(cudaGetDeviceProperties(&properties, i));
    CU(cudaMalloc(i == 0 ? &on_first : &on_second, kBytes));
    std::printf("device %d: %d SMs, bus %d\n", i, properties.multiProcessorCount, properties.pciBusID);
  }
  CU(cudaGetDevice(&device));
  cudaPointerAttributes of = {};
  CU(cudaPointerGetAttributes(&of, on_first));
  std::printf("current %d, memory of %d\n", device, of.device);
  fill<<<kCount / 256, 256>>>(on_second, 5);
  CU(cudaDeviceSynchronize());
  CU(cudaSetDevice(0));
  fill<<<kCount / 256, 256>>>(on_first, 1);
  fill<<<kCount / 256, 256>>>(shared, 4);
  HOLDS(on_second, 5);
  HOLDS(on_first, 1);
  HOLDS(shared, 4);
  int calls_here = 0;
  CU(cudaMemcpyFromSymbol(&calls_here, calls, sizeof calls_here));
  std::printf("%d kernels on device 0\n", calls_here);
  if (argc > 1) {
    add<<<kCount / 256, 256>>>(on_first, on_second);
    PRINT(cudaDeviceSynchronize());
    return 0;
  }
  CU(cudaDeviceCanAccessPeer(&can[0], 0, 1));
  CU(cudaDeviceCanAccessPeer(&can[1], 1, 1));
  std::printf("peers: %d, itself: %d\n", can[0], can[1]);
  PRINT(cudaDeviceDisablePeerAccess(1));
  PRINT(cudaDeviceEnablePeerAccess(1, 0));
  PRINT(cudaDeviceEnablePeerAccess(1, 0));
  if (can[0]) {
    add<<<kCount / 256, 256>>>(on_first, on_second);
    HOLDS(on_first, 6);
    CU(cudaDeviceDisablePeerAccess(1));
  }
  CU(cudaMemcpyPeer(on_first, 0, on_second, 1, kBytes));
  HOLDS(on_first, 5);
  if (copies_and_events(on_first, on_second) || pools(on_first)) return 1;
  CUdevice current;
  CUcontext context;
  if (cuCtxGetDevice(&current) || cuDevicePrimaryCtxRetain(&context, 1) || cuCtxPushCurrent(context)) return 1;
  CU(cudaGetDevice(&device));
  std::printf("with the driver: %d, %d\n", current, device);
  CU(cudaDeviceReset());
  cuCtxPopCurrent(&context);
  HOLDS(on_first, 9);
  PRINT(cudaFree(on_second));
  PRINT(cudaFree(on_first));
}
