// SPDX-License-Identifier: Apache-2.0
// Allocations of cudaMallocAsync from memory pools, with the pools' limits and attributes.
#include "sim/cuda/pool.h"

#include <algorithm>
#include <cstring>

#include "sim/cuda/session.h"
#include "sim/emu/core/memory_check.h"

namespace sassim::cuda {

Pools::Pools() { current_ = create(0); }

bool Pools::set_current(MemoryPool* pool) {
  if (!holds(pool)) return false;
  current_ = pool;
  return true;
}

MemoryPool* Pools::create(std::uint64_t largest) {
  all_.push_back(std::make_unique<MemoryPool>());
  all_.back()->largest = largest;
  return all_.back().get();
}

bool Pools::holds(const MemoryPool* pool) const {
  return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return one.get() == pool; });
}

bool Pools::destroy(MemoryPool* pool) {
  if (!holds(pool) || pool == device_default()) return false;
  if (current_ == pool) current_ = device_default();
  for (auto& [address, piece] : pieces_)
    if (piece.pool == pool) piece.pool = nullptr;
  std::erase_if(all_, [&](const auto& one) { return one.get() == pool; });
  return true;
}

Result Pools::allocate(emu::DeviceMemory& memory, MemoryPool* pool, void** pointer, std::size_t bytes) {
  if (!holds(pool) || !pointer) return kInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return kSuccess;
  if (pool->largest != 0 && bytes > pool->largest - std::min(pool->largest, pool->used)) return kMemoryAllocation;
  const std::uint64_t address = memory.allocate(bytes);
  if (address == 0) return kMemoryAllocation;
  if (emu::MemoryCheck* check = emu::MemoryCheck::active()) check->allocated(address, bytes);
  pieces_[address] = {pool, bytes};
  if (pool->open_to != 0) memory.open_allocation(address, pool->open_to);
  pool->used += bytes;
  pool->high = std::max(pool->high, pool->used);
  *pointer = reinterpret_cast<void*>(address);
  return kSuccess;
}

void Pools::open(emu::DeviceMemory& memory, MemoryPool* pool, std::uint32_t devices) {
  pool->open_to = devices;
  for (const auto& [address, piece] : pieces_)
    if (piece.pool == pool) memory.open_allocation(address, devices);
}

void Pools::release(std::uint64_t address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return;
  if (found->second.pool) found->second.pool->used -= found->second.bytes;
  pieces_.erase(found);
}

MemoryPool* Pools::owner(std::uint64_t address) const {
  auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return nullptr;
  const auto& [begin, piece] = *std::prev(after);
  return address < begin + piece.bytes ? piece.pool : nullptr;
}

void Pools::reset() {
  pieces_.clear();
  all_.resize(1);
  all_.front()->used = all_.front()->high = 0;  // its settings stay, as on an H200
  all_.front()->open_to = 0;
  current_ = device_default();
}

Result get_attribute(const MemoryPool& pool, int attribute, void* value) {
  if (!value || attribute < kReuseFollowsEvents || attribute > kUsedHigh) return kInvalidValue;
  if (attribute < kReleaseThreshold) {
    const auto setting = static_cast<std::uint32_t>(pool.settings[static_cast<std::size_t>(attribute)]);
    std::memcpy(value, &setting, sizeof setting);
    return kSuccess;
  }
  const std::uint64_t wide = attribute == kReleaseThreshold                       ? pool.settings[kReleaseThreshold]
                             : attribute == kReservedNow || attribute == kUsedNow ? pool.used
                                                                                  : pool.high;
  std::memcpy(value, &wide, sizeof wide);
  return kSuccess;
}

Result set_attribute(MemoryPool& pool, int attribute, const void* value) {
  if (!value || attribute < kReuseFollowsEvents || attribute > kUsedHigh) return kInvalidValue;
  if (attribute < kReleaseThreshold) {
    std::uint32_t setting = 0;
    std::memcpy(&setting, value, sizeof setting);
    pool.settings[static_cast<std::size_t>(attribute)] = setting;
    return kSuccess;
  }
  std::uint64_t wide = 0;
  std::memcpy(&wide, value, sizeof wide);
  if (attribute == kReleaseThreshold) {
    pool.settings[kReleaseThreshold] = wide;
    return kSuccess;
  }
  if ((attribute != kReservedHigh && attribute != kUsedHigh) || wide != 0) return kInvalidValue;
  pool.high = pool.used;  // a high mark can only be set back
  return kSuccess;
}

}  // namespace sassim::cuda
