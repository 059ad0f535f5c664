// SPDX-License-Identifier: Apache-2.0
// Implements cuMemAddressReserve, cuMemCreate, cuMemMap and cuMemSetAccess on the memory of simulated devices.
#include "sim/driver/virtual_memory.h"

#include <sys/mman.h>

#include <algorithm>

namespace sassim::cuda {
namespace {

constexpr std::uint64_t kUnit = emu::DeviceMemory::kPageBytes;
constexpr int kPinned = 1, kOnDevice = 1;
bool whole(std::uint64_t value) { return value % kUnit == 0; }
emu::DeviceMemory& memory_at(Session& session, std::uint64_t address) {
  return session.memory_with(reinterpret_cast<const void*>(address));
}

}  // namespace

VirtualMemory& VirtualMemory::get() {
  static VirtualMemory memory;
  return memory;
}

VirtualMemory::Physical::~Physical() { munmap(memory, bytes); }
Result VirtualMemory::reserve(Session& session, std::uint64_t* address, std::size_t bytes, std::size_t alignment) {
  if (!address || bytes == 0 || !whole(bytes) || (alignment & (alignment - 1)) != 0) return kInvalidValue;
  *address = session.memory().reserve(bytes, alignment);
  if (*address == 0) return kMemoryAllocation;
  reserved_[*address] = bytes;
  return kSuccess;
}

Result VirtualMemory::unreserve(Session& session, std::uint64_t address, std::size_t bytes) {
  const auto found = reserved_.find(address);
  if (found == reserved_.end() || found->second != bytes) return kInvalidValue;
  const auto inside = mappings_.lower_bound(address);
  if (inside != mappings_.end() && inside->first < address + bytes) return kInvalidValue;
  memory_at(session, address).unreserve(address, bytes);
  reserved_.erase(found);
  return kSuccess;
}

Result VirtualMemory::create(Session& session, std::uint64_t* handle, std::size_t bytes,
                             const MemoryProperties& properties) {
  if (!handle || bytes == 0 || !whole(bytes) || properties.type != kPinned || properties.place != kOnDevice)
    return kInvalidValue;
  if (!session.has_device(properties.device)) return kInvalidDevice;
  emu::DeviceMemory& device = session.device(properties.device).memory;
  if (!device.take(bytes)) return kMemoryAllocation;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    device.give(bytes);
    return kMemoryAllocation;
  }
  *handle = next_handle_++;
  physical_[*handle] = std::make_shared<Physical>(static_cast<std::byte*>(memory), bytes, 1u, properties);
  return kSuccess;
}

/// Memory that has no handle and no mapping is free.
void VirtualMemory::give_back_unused(Session& session) {
  std::erase_if(physical_, [&](const auto& entry) {
    const bool unused = entry.second->handles == 0 && entry.second.use_count() == 1;
    if (unused) session.device(entry.second->properties.device).memory.give(entry.second->bytes);
    return unused;
  });
}

Result VirtualMemory::release(Session& session, std::uint64_t handle) {
  const auto found = physical_.find(handle);
  if (found == physical_.end() || found->second->handles == 0) return kInvalidValue;
  --found->second->handles;
  give_back_unused(session);
  return kSuccess;
}

Result VirtualMemory::retain(std::uint64_t* handle, std::uint64_t address) {
  auto above = mappings_.upper_bound(address);
  if (!handle || above == mappings_.begin()) return kInvalidValue;
  const auto& [begin, mapping] = *std::prev(above);
  if (address >= begin + mapping.bytes) return kInvalidValue;
  ++mapping.physical->handles;
  *handle = mapping.handle;
  return kSuccess;
}

Result VirtualMemory::properties(std::uint64_t handle, MemoryProperties& properties) const {
  const auto found = physical_.find(handle);
  if (found == physical_.end()) return kInvalidValue;
  properties = found->second->properties;
  return kSuccess;
}

std::map<std::uint64_t, std::size_t>::iterator VirtualMemory::reservation(std::uint64_t address, std::size_t bytes) {
  auto above = reserved_.upper_bound(address);
  if (above == reserved_.begin()) return reserved_.end();
  const auto found = std::prev(above);
  const std::uint64_t at = address - found->first;
  return at <= found->second && bytes <= found->second - at ? found : reserved_.end();
}

Result VirtualMemory::map(Session& session, std::uint64_t address, std::size_t bytes, std::size_t offset,
                          std::uint64_t handle) {
  const auto found = physical_.find(handle);
  if (found == physical_.end() || found->second->handles == 0 || bytes == 0 || !whole(bytes) || !whole(address))
    return kInvalidValue;
  if (offset != 0 || bytes != found->second->bytes) return kInvalidValue;  // CUDA maps all of it
  if (reservation(address, bytes) == reserved_.end()) return kInvalidValue;
  const auto above = mappings_.lower_bound(address);
  if (above != mappings_.end() && above->first < address + bytes) return kInvalidValue;
  if (above != mappings_.begin() && std::prev(above)->first + std::prev(above)->second.bytes > address)
    return kInvalidValue;
  if (!memory_at(session, address).attach(address, found->second->memory, bytes)) return kMemoryAllocation;
  mappings_[address] = {bytes, handle, found->second};
  return kSuccess;
}

std::pair<VirtualMemory::Mappings::iterator, VirtualMemory::Mappings::iterator> VirtualMemory::filling(
    std::uint64_t address, std::size_t bytes) {
  const auto first = mappings_.find(address);
  auto last = first;
  std::uint64_t at = address;
  for (; last != mappings_.end() && last->first == at && at < address + bytes; ++last) at += last->second.bytes;
  return at == address + bytes && bytes != 0 ? std::pair(first, last) : std::pair(mappings_.end(), mappings_.end());
}

/// Adjacent mappings that can be accessed are one allocation for kernels and copies.
void VirtualMemory::expose_again(Session& session, std::uint64_t address) {
  const auto [begin, bytes] = *reservation(address, 1);
  const std::uint64_t end = begin + bytes;
  std::erase_if(exposed_, [&, first = begin](std::uint64_t at) {
    const bool inside = at >= first && at < end;
    if (inside) memory_at(session, at).hide(at);
    return inside;
  });
  std::uint64_t from = 0, to = 0;
  std::uint32_t open_to = 0;
  const auto expose = [&] {
    if (from == to) return;
    emu::DeviceMemory& memory = memory_at(session, from);
    memory.expose(from, to - from);
    memory.open_allocation(from, open_to);
    exposed_.push_back(from);
  };
  for (auto at = mappings_.lower_bound(begin); at != mappings_.end() && at->first < end; ++at) {
    if (at->second.open_to == 0) continue;
    if (at->first != to || at->second.open_to != open_to) {
      expose();
      from = at->first;
      open_to = at->second.open_to;
    }
    to = at->first + at->second.bytes;
  }
  expose();
}

Result VirtualMemory::unmap(Session& session, std::uint64_t address, std::size_t bytes) {
  const auto [first, last] = filling(address, bytes);
  if (first == last) return kInvalidValue;
  session.settle();
  for (auto at = first; at != last; ++at) memory_at(session, at->first).detach(at->first);
  mappings_.erase(first, last);
  expose_again(session, address);
  give_back_unused(session);
  return kSuccess;
}

Result VirtualMemory::set_access(Session& session, std::uint64_t address, std::size_t bytes, unsigned device,
                                 MemoryAccess access) {
  const auto [first, last] = filling(address, bytes);
  if (first == last) return kInvalidValue;
  for (auto at = first; at != last; ++at)
    at->second.open_to = (at->second.open_to & ~(1u << device)) | (access == kNoAccess ? 0u : 1u << device);
  expose_again(session, address);
  return kSuccess;
}

Result VirtualMemory::access(std::uint64_t address, unsigned device, MemoryAccess& access) const {
  const auto above = mappings_.upper_bound(address);
  if (above == mappings_.begin()) return kInvalidValue;
  const auto& [begin, mapping] = *std::prev(above);
  if (address >= begin + mapping.bytes) return kInvalidValue;
  access = (mapping.open_to >> device & 1u) != 0 ? kReadWriteAccess : kNoAccess;
  return kSuccess;
}

void VirtualMemory::release_all(const Session& session) {
  const auto is_here = [&](std::uint64_t address) { return emu::device_of(address) == session.device().ordinal; };
  std::erase_if(reserved_, [&](const auto& entry) { return is_here(entry.first); });
  std::erase_if(mappings_, [&](const auto& entry) { return is_here(entry.first); });
  std::erase_if(exposed_, is_here);
  std::erase_if(physical_, [&](const auto& entry) {
    return static_cast<unsigned>(entry.second->properties.device) == session.device().ordinal;
  });
}

}  // namespace sassim::cuda
