// SPDX-License-Identifier: Apache-2.0
// The driver's functions for memory pools, which are the runtime's.
#include "sim/cuda/export.h"
#include "sim/cuda/pool.h"
#include "sim/driver/call.h"
#include "sim/driver/pointers.h"

namespace sassim::cuda {

struct PoolProperties;
struct PoolAccess;

extern "C" {
Result cudaDeviceGetDefaultMemPool(MemoryPool**, int);
Result cudaDeviceGetMemPool(MemoryPool**, int);
Result cudaDeviceSetMemPool(int, MemoryPool*);
Result cudaMemPoolCreate(MemoryPool**, const PoolProperties*);
Result cudaMemPoolDestroy(MemoryPool*);
Result cudaMemPoolSetAttribute(MemoryPool*, int, void*);
Result cudaMemPoolGetAttribute(MemoryPool*, int, void*);
Result cudaMemPoolTrimTo(MemoryPool*, std::size_t);
Result cudaMemPoolSetAccess(MemoryPool*, const PoolAccess*, std::size_t);
Result cudaMemPoolGetAccess(int*, MemoryPool*, const int*);
Result cudaMallocAsync(void**, std::size_t, Stream);
Result cudaMallocFromPoolAsync(void**, std::size_t, MemoryPool*, Stream);
Result cudaFreeAsync(void*, Stream);
}

namespace {

/// `make` gets the place of the address.
Result allocate(DevicePointer* pointer, std::size_t bytes, const std::function<Result(void**)>& make) {
  if (!pointer || bytes == 0) return kInvalidValue;
  return as_driver(Needs::context, [&] {
    void* memory = nullptr;
    const Result result = make(&memory);
    *pointer = as_address(memory);
    return result;
  });
}

}  // namespace

SASSIM_CUDA Result cuDeviceGetDefaultMemPool(MemoryPool** pool, int device) {
  return as_init([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}
SASSIM_CUDA Result cuDeviceGetMemPool(MemoryPool** pool, int device) {
  return as_init([&] { return cudaDeviceGetMemPool(pool, device); });
}
SASSIM_CUDA Result cuDeviceSetMemPool(int device, MemoryPool* pool) {
  return as_init([&] { return cudaDeviceSetMemPool(device, pool); });
}
SASSIM_CUDA Result cuMemPoolCreate(MemoryPool** pool, const PoolProperties* properties) {
  return as_init([&] { return cudaMemPoolCreate(pool, properties); });
}
SASSIM_CUDA Result cuMemPoolDestroy(MemoryPool* pool) {
  return as_init([&] { return cudaMemPoolDestroy(pool); });
}
SASSIM_CUDA Result cuMemPoolSetAttribute(MemoryPool* pool, int attribute, void* value) {
  return as_init([&] { return cudaMemPoolSetAttribute(pool, attribute, value); });
}
SASSIM_CUDA Result cuMemPoolGetAttribute(MemoryPool* pool, int attribute, void* value) {
  return as_init([&] { return cudaMemPoolGetAttribute(pool, attribute, value); });
}
SASSIM_CUDA Result cuMemPoolTrimTo(MemoryPool* pool, std::size_t least) {
  return as_init([&] { return cudaMemPoolTrimTo(pool, least); });
}
SASSIM_CUDA Result cuMemPoolSetAccess(MemoryPool* pool, const PoolAccess* access, std::size_t count) {
  return as_init([&] { return cudaMemPoolSetAccess(pool, access, count); });
}
SASSIM_CUDA Result cuMemPoolGetAccess(int* access, MemoryPool* pool, const int* place) {
  return as_init([&] { return cudaMemPoolGetAccess(access, pool, place); });
}

SASSIM_CUDA Result cuMemAllocAsync(DevicePointer* pointer, std::size_t bytes, Stream stream) {
  return allocate(pointer, bytes, [&](void** memory) { return cudaMallocAsync(memory, bytes, stream); });
}
SASSIM_CU_PTSZ(cuMemAllocAsync);
SASSIM_CUDA Result cuMemAllocFromPoolAsync(DevicePointer* pointer, std::size_t bytes, MemoryPool* pool, Stream stream) {
  return allocate(pointer, bytes, [&](void** memory) { return cudaMallocFromPoolAsync(memory, bytes, pool, stream); });
}
SASSIM_CU_PTSZ(cuMemAllocFromPoolAsync);
SASSIM_CUDA Result cuMemFreeAsync(DevicePointer pointer, Stream stream) {
  if (pointer == 0) return kInvalidValue;
  return as_driver(Needs::context, [&] { return cudaFreeAsync(as_pointer(pointer), stream); });
}
SASSIM_CU_PTSZ(cuMemFreeAsync);

}  // namespace sassim::cuda
