// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for memory pools, and for allocations that are made in a stream.
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

constexpr int kOnDevice = 1, kNoAccess = 0, kReadWrite = 3;

/// Turns to the device of a pool.
Result check_pool(Session& session, const MemoryPool* pool) {
  for (std::size_t i = 0; i < session.devices(); ++i) {
    Device& device = session.device(static_cast<int>(i));
    if (!device.pools.holds(pool)) continue;
    session.turn_to(device);
    return kSuccess;
  }
  return kInvalidValue;
}

Result give_pool(const char* name, MemoryPool** pool, int device, MemoryPool* (Pools::*which)()) {
  return call(name, [&](Session& session) {
    if (!pool) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    *pool = (session.device(device).pools.*which)();
    return kSuccess;
  });
}

/// In a stream that is being captured the allocation becomes a part of the graph; otherwise it takes effect at once.
Result allocate(const char* name, void** pointer, std::size_t bytes, std::optional<MemoryPool*> pool, Stream stream) {
  return call(name, [&](Session& session) {
    const StreamState* state = session.find(stream);
    if (!state) return kInvalidResourceHandle;
    if (!state->captured.capture) {
      if (const Result result = check_may_wait(session); result != kSuccess) return result;
      if (const Result known = pool ? check_pool(session, *pool) : kSuccess; known != kSuccess) return known;
      return session.pools().allocate(session.memory(), pool.value_or(session.pools().current()), pointer, bytes);
    }
    if (!pointer || bytes == 0) return kInvalidValue;
    const PoolProperties place{.allocation = 1,
                               .handles = 0,
                               .place = kOnDevice,
                               .device = static_cast<int>(session.device().ordinal),
                               .windows = nullptr,
                               .largest = 0,
                               .reserved = {}};
    AllocationNodeParams params{.pool = place, .access = nullptr, .accesses = 0, .bytes = bytes, .pointer = nullptr};
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
    if (!session.has_device(device)) return kInvalidDevice;
    return session.device(device).pools.set_current(pool) ? kSuccess : kInvalidValue;
  });
}

SASSIM_CUDA Result cudaMemPoolCreate(MemoryPool** pool, const PoolProperties* properties) {
  return call(__func__, [&](Session& session) {
    if (!pool || !properties || !on_a_device(session, *properties)) return kInvalidValue;
    if (properties->handles != 0) return unsupported("cudaMemPoolCreate for sharing with other processes");
    *pool = session.device(properties->device).pools.create(properties->largest);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaMemPoolDestroy(MemoryPool* pool) {
  return call(__func__, [&](Session& session) {
    check_pool(session, pool);
    return session.pools().destroy(pool) ? kSuccess : kInvalidValue;
  });
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
    if (const Result known = check_pool(session, pool); known != kSuccess) return known;
    std::uint32_t open_to = pool->open_to;
    for (std::size_t i = 0; i < count; ++i) {
      if (access[i].place != kOnDevice || !session.has_device(access[i].device)) return kInvalidDevice;
      if (access[i].access != kReadWrite && access[i].access != kNoAccess) return kInvalidValue;
      const auto device = static_cast<unsigned>(access[i].device);
      const bool own = device == session.device().ordinal;  // it always has access
      if (own && access[i].access != kReadWrite) return kInvalidValue;
      if (!own) open_to = (open_to & ~(1u << device)) | (access[i].access == kReadWrite ? 1u << device : 0u);
    }
    session.pools().open(session.memory(), pool, open_to);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaMemPoolGetAccess(int* access, MemoryPool* pool, const int* place) {
  return call(__func__, [&](Session& session) {
    if (!access || !place || place[0] != kOnDevice || !session.has_device(place[1])) return kInvalidValue;
    if (const Result known = check_pool(session, pool); known != kSuccess) return known;
    const auto device = static_cast<unsigned>(place[1]);
    const bool open = device == session.device().ordinal || (pool->open_to >> device & 1u) != 0;
    *access = open ? kReadWrite : kNoAccess;
    return kSuccess;
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
    const StreamState* state = session.find(stream);
    if (!state) return kInvalidResourceHandle;
    if (state->captured.capture) return submit(session, stream, free_node(session, pointer));
    if (const Result result = check_may_wait(session); result != kSuccess) return result;
    return release(session, pointer);
  });
}
SASSIM_CUDA_PTSZ(cudaFreeAsync);

}  // namespace sassim::cuda
