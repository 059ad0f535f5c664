// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/core/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "sim/emu/core/address_space.h"

namespace sassim::emu {
namespace {

constexpr std::uint64_t kHeapUnit = 16, kSmall = 1u << 20, kPage = 2u << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

/// Where what follows a piece may begin. Small pieces lie as on an H200, without a gap and in no page with a large one:
/// which slices of the L2 a table of 1 KiB is in depends on it.
std::uint64_t end_of(std::uint64_t address, std::uint64_t bytes) {
  if (bytes > kSmall) return round_up(address + bytes + kGuardBytes, kPage);
  return round_up(address + std::max<std::uint64_t>(bytes, 1), 512);
}

/// Zeroed, and not backed by memory until it is touched.
std::byte* reserve(std::uint64_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

/// Functions follow each other. Of the first one's pages of 4 KiB those lie in the far half of an H200's L2 that do so
/// on the GPU (NOTES-h200.md, "Cold code").
constexpr std::uint64_t kFirstCode = kCodeBase + 0xdde00, kCodeAlignment = 128;

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity) : capacity_(capacity), next_(kHeapBase), next_code_(kFirstCode) {}

DeviceMemory::~DeviceMemory() {
  for (const auto& [address, allocation] : allocations_) release(allocation);
}

void DeviceMemory::release(const Allocation& allocation) {
  if (allocation.owned) munmap(allocation.host, std::max<std::uint64_t>(allocation.bytes, 1));
}

std::uint64_t DeviceMemory::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes > capacity_ - used_) return 0;
  std::byte* host = reserve(std::max<std::uint64_t>(bytes, 1));
  if (!host) return 0;
  // As on an H200: what is larger than 1 MiB begins a page, smaller pieces share one.
  const std::uint64_t least = bytes > kSmall ? kPage : 256;
  const std::uint64_t address = place(bytes, std::max(alignment, least));
  used_ += bytes;
  allocations_[address] = Allocation{.address = address, .bytes = bytes, .host = host, .owned = true};
  return address;
}

/// The lowest addresses that are free, as CUDA does: what is allocated after a free is where the freed was, and may
/// still be in the caches.
std::uint64_t DeviceMemory::place(std::uint64_t bytes, std::uint64_t alignment) {
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    const auto [begin, end] = *gap;
    const std::uint64_t address = round_up(begin, alignment), after = end_of(address, bytes);
    if (after > end) continue;
    gaps_.erase(gap);
    if (address > begin) gaps_[begin] = address;
    if (after < end) gaps_[after] = end;
    return address;
  }
  const std::uint64_t address = round_up(next_, alignment);
  if (address > next_) gaps_[next_] = address;
  next_ = end_of(address, bytes);
  return address;
}

void DeviceMemory::give_back(std::uint64_t begin, std::uint64_t end) {
  auto after = gaps_.upper_bound(begin);
  if (after != gaps_.end() && after->first == end) {
    end = after->second;
    after = gaps_.erase(after);
  }
  if (after != gaps_.begin() && std::prev(after)->second == begin) {
    begin = std::prev(after)->first;
    gaps_.erase(std::prev(after));
  }
  if (end == next_)
    next_ = begin;
  else
    gaps_[begin] = end;
}

bool DeviceMemory::free(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || !found->second.owned || found->second.heap) return false;
  used_ -= found->second.bytes;
  give_back(address, end_of(address, found->second.bytes));
  release(found->second);
  allocations_.erase(found);
  last_ = nullptr;
  return true;
}

std::uint64_t DeviceMemory::allocate_on_heap(std::uint64_t bytes, std::uint64_t limit) {
  const std::uint64_t taken = round_up(bytes, kHeapUnit);
  if (taken < bytes || taken > limit || heap_used_ > limit - taken) return 0;
  const std::uint64_t address = allocate(bytes, kHeapUnit);
  if (address == 0) return 0;
  heap_used_ += taken;
  allocations_[address].heap = true;
  return address;
}

bool DeviceMemory::free_on_heap(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || !found->second.heap) return false;
  heap_used_ -= round_up(found->second.bytes, kHeapUnit);
  found->second.heap = false;
  return free(address);
}

void DeviceMemory::map_host(void* host, std::uint64_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(host);
  allocations_[address] = Allocation{.address = address, .bytes = bytes, .host = static_cast<std::byte*>(host)};
  last_ = nullptr;
}

bool DeviceMemory::unmap_host(void* host) {
  const auto found = allocations_.find(reinterpret_cast<std::uint64_t>(host));
  if (found == allocations_.end() || found->second.owned) return false;
  allocations_.erase(found);
  last_ = nullptr;
  return true;
}

std::uint64_t DeviceMemory::reserve_code(std::uint64_t bytes) {
  const std::uint64_t address = next_code_;
  next_code_ = round_up(address + bytes, kCodeAlignment);
  return address;
}

const Allocation* DeviceMemory::nearest(std::uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  return &std::prev(after)->second;
}

const Allocation* DeviceMemory::find_slow(std::uint64_t address, std::uint64_t bytes) const {
  const Allocation* below = nearest(address);
  if (!below || !below->contains(address, bytes)) return nullptr;
  last_ = below;
  return below;
}

bool DeviceMemory::read(std::uint64_t address, void* to, std::uint64_t bytes) const {
  if (bytes == 0) return true;
  const std::byte* from = host(address, bytes);
  if (from) std::memcpy(to, from, bytes);
  return from != nullptr;
}

bool DeviceMemory::write(std::uint64_t address, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return true;
  std::byte* to = host(address, bytes);
  if (to) std::memcpy(to, from, bytes);
  return to != nullptr;
}

bool DeviceMemory::fill(std::uint64_t address, std::uint8_t value, std::uint64_t bytes) {
  if (bytes == 0) return true;
  std::byte* to = host(address, bytes);
  if (to) std::memset(to, value, bytes);
  return to != nullptr;
}

}  // namespace sassim::emu
