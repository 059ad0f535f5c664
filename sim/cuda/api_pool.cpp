// SPDX-License-Identifier: Apache-2.0
// The device's default memory pool. Allocation is immediate, so that the pool's attributes are stored without effect.
#include <array>
#include <mutex>

#include "sim/cuda/errors.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

struct MemoryPool {
  std::mutex mutex;
  std::array<std::uint64_t, 9> attributes{};  ///< by cudaMemPoolAttr
};

namespace {

constexpr int kReleaseThreshold =
    4;  ///< cudaMemPoolAttrReleaseThreshold: the first 64-bit attribute; earlier attributes are ints

MemoryPool& default_pool() {
  static MemoryPool pool{.mutex = {}, .attributes = {0, 1, 1, 1}};  // by default, reuse is allowed
  return pool;
}

Result give_pool(const char* name, MemoryPool** pool, int device) {
  return call(name, [&](Session&) {
    if (!pool) return kInvalidValue;
    if (device != 0) return kInvalidDevice;
    *pool = &default_pool();
    return kSuccess;
  });
}

/// Calls `f(value, wide)` for an attribute of the default pool; `wide`: it has 64 bits.
template <class F>
Result with_attribute(const char* name, MemoryPool* pool, int attribute, const void* value, F f) {
  return call(name, [&](Session&) {
    if (pool != &default_pool() || !value || attribute < 1 || attribute >= static_cast<int>(pool->attributes.size()))
      return kInvalidValue;
    const std::scoped_lock lock(pool->mutex);
    f(pool->attributes[static_cast<std::size_t>(attribute)], attribute >= kReleaseThreshold);
    return kSuccess;
  });
}

}  // namespace

SASSIM_CUDA Result cudaDeviceGetDefaultMemPool(MemoryPool** pool, int device) {
  return give_pool(__func__, pool, device);
}
SASSIM_CUDA Result cudaDeviceGetMemPool(MemoryPool** pool, int device) { return give_pool(__func__, pool, device); }

SASSIM_CUDA Result cudaMemPoolSetAttribute(MemoryPool* pool, int attribute, void* value) {
  return with_attribute(__func__, pool, attribute, value, [&](std::uint64_t& kept, bool wide) {
    kept = wide ? *static_cast<std::uint64_t*>(value) : *static_cast<std::uint32_t*>(value);
  });
}
SASSIM_CUDA Result cudaMemPoolGetAttribute(MemoryPool* pool, int attribute, void* value) {
  return with_attribute(__func__, pool, attribute, value, [&](std::uint64_t& kept, bool wide) {
    if (wide)
      *static_cast<std::uint64_t*>(value) = kept;
    else
      *static_cast<std::uint32_t*>(value) = static_cast<std::uint32_t>(kept);
  });
}
SASSIM_CUDA Result cudaMemPoolTrimTo(MemoryPool* pool, std::size_t) {
  return call(__func__, [&](Session&) { return pool == &default_pool() ? kSuccess : kInvalidValue; });
}

}  // namespace sassim::cuda
