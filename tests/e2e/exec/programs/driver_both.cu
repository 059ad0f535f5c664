// SPDX-License-Identifier: Apache-2.0
// A program of both interfaces: they share the primary context, memory, streams and events.
#include <cuda_runtime.h>

#include "driver_check.h"

__global__ void fill(int* to, int value) { to[threadIdx.x] = value + threadIdx.x; }

int main(int, char** argv) {
  int count, threads;
  EXPECT(cudaGetDeviceCount(&count) == cudaSuccess);  // initialises the driver too, and makes no context
  DO(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  EXPECT(threads == 32);
  EXPECT(cudaFree(nullptr) == cudaSuccess);  // the runtime begins, and with it the driver
  CUcontext current, primary;
  DO(cuCtxGetCurrent(&current));
  DO(cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT(current == primary);
  unsigned flags;
  int active;
  DO(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(active == 1);

  // The runtime's memory and stream, the driver's kernel.
  int* out;
  cudaStream_t stream;
  EXPECT(cudaMalloc(&out, 128 * sizeof(int)) == cudaSuccess);
  EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
  CUmodule module;
  CUfunction bounded;
  DO(cuModuleLoad(&module, image(argv[0], "driver_kernels.fatbin").c_str()));
  DO(cuModuleGetFunction(&bounded, module, "bounded"));
  void* arguments[] = {&out};
  DO(cuLaunchKernel(bounded, 1, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
  int result[128];
  EXPECT(cudaMemcpyAsync(result, out, sizeof result, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  DO(cuStreamSynchronize(stream));
  for (int i = 0; i < 128; ++i) EXPECT(result[i] == i);

  // The driver's memory, the runtime's kernel.
  CUdeviceptr memory;
  DO(cuMemAlloc(&memory, sizeof result));
  fill<<<1, 128>>>(reinterpret_cast<int*>(memory), 7);
  DO(cuMemcpyDtoH(result, memory, sizeof result));
  for (int i = 0; i < 128; ++i) EXPECT(result[i] == 7 + i);
  cudaPointerAttributes of;
  EXPECT(cudaPointerGetAttributes(&of, reinterpret_cast<void*>(memory)) == cudaSuccess);
  EXPECT(of.type == cudaMemoryTypeDevice);
  EXPECT(cudaFree(reinterpret_cast<void*>(memory)) == cudaSuccess);
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemFree(memory));

  // Both count the same blocks on an SM; a threshold of shared memory moves the number.
  for (int shared : {0, 8 << 10, 40 << 10}) {
    int blocks = -1, of_driver = -2;
    CUfunction empty;
    DO(cuModuleGetFunction(&empty, module, "empty"));
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 128, shared) == cudaSuccess);
    DO(cuOccupancyMaxActiveBlocksPerMultiprocessor(&of_driver, empty, 128, shared));
    EXPECT(blocks == of_driver);
    EXPECT(blocks == (shared == 0 ? 8 : shared == 8 << 10 ? 8 : 1));  // 1024 threads and 64 KiB of a T4's SM
    size_t bytes;
    DO(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, empty, 2, 128));
    EXPECT(bytes == 32 << 10);
  }
  int grid, block;
  DO(cuOccupancyMaxPotentialBlockSize(&grid, &block, bounded, nullptr, 0, 0));
  EXPECT(block == 128 && grid == 8 * 40);

  // The runtime's kernel as a function of the driver, which stays what it is, with the attributes that either has set.
  CUfunction filler, again;
  CUmodule holder;
  EXPECT(cudaGetFuncBySymbol(&filler, reinterpret_cast<const void*>(fill)) == cudaSuccess);
  EXPECT(cudaGetFuncBySymbol(&again, reinterpret_cast<const void*>(fill)) == cudaSuccess && again == filler);
  EXPECT(cudaGetFuncBySymbol(&again, nullptr) == cudaErrorInvalidValue);
  EXPECT(cudaGetFuncBySymbol(&again, &count) == cudaErrorInvalidDeviceFunction);
  int most;
  EXPECT(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 << 10) == cudaSuccess);
  DO(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, filler));
  EXPECT(most == 60 << 10);
  DO(cuFuncGetModule(&holder, filler));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(holder));
  int value = 30;
  void* of_fill[] = {&out, &value};
  DO(cuLaunchKernel(filler, 1, 1, 1, 128, 1, 1, 0, nullptr, of_fill, nullptr));
  EXPECT(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < 128; ++i) EXPECT(result[i] == 30 + i);

  // An error of the driver is no last error of the runtime.
  EXPECT(cudaGetLastError() == cudaErrorInvalidDeviceFunction);  // of the runtime, above
  EXPECT(cudaGetLastError() == cudaSuccess);
  // The runtime gives functions of the driver.
  void* function = nullptr;
  EXPECT(cudaGetDriverEntryPoint("cuMemAlloc", &function, cudaEnableDefault) == cudaSuccess);
  EXPECT(function == reinterpret_cast<void*>(&cuMemAlloc_v2));

  // cuBLAS's first interface asks for this table.
  const cudaUUID_t storage{{'\xc6', '\x93', '\x33', '\x6e', '\x11', '\x21', '\xdf', '\x11',
                            '\xa8', '\xc3', '\x68', '\xf3', '\x55', '\xd8', '\x95', '\x93'}};
  const void* table;
  EXPECT(cudaGetExportTable(&table, &storage) == cudaErrorSymbolNotFound);
  EXPECT(cudaGetLastError() == cudaErrorSymbolNotFound);

  // A release of the driver's retain leaves what the runtime uses; a reset removes it.
  DO(cuDevicePrimaryCtxRelease(0));
  EXPECT(cudaMemset(out, 0, 4) == cudaSuccess);
  EXPECT(cudaDeviceReset() == cudaSuccess);
  DO(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(active == 0);
  EXPECT_CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuModuleUnload(module));
  EXPECT(cudaMalloc(&out, 4) == cudaSuccess);
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
  std::puts("both ok");
}
