// SPDX-License-Identifier: Apache-2.0
// The runtime's memory pools.
#include <optional>

#include "sim/cuda/export.h"
#include "sim/cuda/graph_memory.h"
#include "sim/cuda/pool.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

/// cudaMemAccessDesc
struct PoolAccess {
  int place, device, access;
};

namespace {

constexpr int kOnDevice = 1, kReadWrite = 3;

Result check_pool(Session& session, const MemoryPool* pool) {
  return session.pools().holds(pool) ? kSuccess : kInvalidValue;
}

Result give_pool(const char* name, MemoryPool** pool, int device, MemoryPool* (Pools::*which)()) {
  return call(name, [&](Session& session) {
    if (!pool) return kInvalidValue;
    if (device != 0) return kInvalidDevice;
    *pool = (session.pools().*which)();
    return kSuccess;
  });
}

/// In a stream that is being captured the allocation becomes a part of the graph; otherwise it takes effect at once.
Result allocate(const char* name, void** pointer, std::size_t bytes, std::optional<MemoryPool*> pool, Stream stream) {
  return call(name, [&](Session& session) {
    const StreamState* state = session.timeline().find(stream);
    if (!state) return kInvalidResourceHandle;
    if (!state->captured.capture) {
      const Result result = check_may_wait(session);
      return result == kSuccess
                 ? session.pools().allocate(session, pool.value_or(session.pools().current()), pointer, bytes)
                 : result;
    }
    if (!pointer || bytes == 0) return kInvalidValue;
    AllocationNodeParams params{.pool = {}, .access = nullptr, .accesses = 0, .bytes = bytes, .pointer = nullptr};
    NodeContents contents;
    const Result result = allocation_node(session, params, contents);
    *pointer = params.pointer;
    return result == kSuccess ? submit(session, stream, contents) : result;
  });
}

}  // namespace

SASSIM_CUDA Result cudaDeviceGetDefaultMemPool(MemoryPool** pool, int device) {
  return give_pool(__func__, pool, device, &Pools::device_default);
}
SASSIM_CUDA Result cudaDeviceGetMemPool(MemoryPool** pool, int device) {
  return give_pool(__func__, pool, device, &Pools::current);
}
SASSIM_CUDA Result cudaDeviceSetMemPool(int device, MemoryPool* pool) {
  return call(__func__, [&](Session& session) {
    if (device != 0) return kInvalidDevice;
    return session.pools().set_current(pool) ? kSuccess : kInvalidValue;
  });
}

SASSIM_CUDA Result cudaMemPoolCreate(MemoryPool** pool, const PoolProperties* properties) {
  return call(__func__, [&](Session& session) {
    if (!pool || !properties || !on_the_device(*properties)) return kInvalidValue;
    if (properties->handles != 0) return unsupported("cudaMemPoolCreate for sharing with other processes");
    *pool = session.pools().create(properties->largest);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaMemPoolDestroy(MemoryPool* pool) {
  return call(__func__, [&](Session& session) { return session.pools().destroy(pool) ? kSuccess : kInvalidValue; });
}
SASSIM_CUDA Result cudaMemPoolSetAttribute(MemoryPool* pool, int attribute, void* value) {
  return call(__func__, [&](Session& session) {
    const Result known = check_pool(session, pool);
    return known == kSuccess ? set_attribute(*pool, attribute, value) : known;
  });
}
SASSIM_CUDA Result cudaMemPoolGetAttribute(MemoryPool* pool, int attribute, void* value) {
  return call(__func__, [&](Session& session) {
    const Result known = check_pool(session, pool);
    return known == kSuccess ? get_attribute(*pool, attribute, value) : known;
  });
}
SASSIM_CUDA Result cudaMemPoolTrimTo(MemoryPool* pool, std::size_t) {
  return call(__func__, [&](Session& session) { return check_pool(session, pool); });
}
SASSIM_CUDA Result cudaMemPoolSetAccess(MemoryPool* pool, const PoolAccess* access, std::size_t count) {
  return call(__func__, [&](Session& session) {
    if (!access && count != 0) return kInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      if (access[i].place != kOnDevice || access[i].device != 0) return kInvalidDevice;
      if (access[i].access != kReadWrite) return kInvalidValue;  // its own device always has access
    }
    return check_pool(session, pool);
  });
}
SASSIM_CUDA Result cudaMemPoolGetAccess(int* access, MemoryPool* pool, const int* place) {
  return call(__func__, [&](Session& session) {
    if (!access || !place || place[0] != kOnDevice || place[1] != 0) return kInvalidValue;
    *access = kReadWrite;
    return check_pool(session, pool);
  });
}

SASSIM_CUDA Result cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, MemoryPool* pool, Stream stream) {
  return allocate(__func__, pointer, bytes, pool, stream);
}
SASSIM_CUDA_PTSZ(cudaMallocFromPoolAsync);
SASSIM_CUDA Result cudaMallocAsync(void** pointer, std::size_t bytes, Stream stream) {
  return allocate(__func__, pointer, bytes, std::nullopt, stream);
}
SASSIM_CUDA_PTSZ(cudaMallocAsync);
SASSIM_CUDA Result cudaFreeAsync(void* pointer, Stream stream) {
  return call(__func__, [&](Session& session) {
    const StreamState* state = session.timeline().find(stream);
    if (!state) return kInvalidResourceHandle;
    if (state->captured.capture) return submit(session, stream, free_node(session, pointer));
    if (const Result result = check_may_wait(session); result != kSuccess) return result;
    return release(session, pointer);
  });
}
SASSIM_CUDA_PTSZ(cudaFreeAsync);

}  // namespace sassim::cuda
