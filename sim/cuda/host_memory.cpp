// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/host_memory.h"

#include <sys/mman.h>

namespace sassim::cuda {

namespace {
constexpr std::size_t kPage = 4096;
}

HostMemory::~HostMemory() {
  for (const auto& [pointer, piece] : pieces_) munmap(const_cast<void*>(pointer), piece.mapped);
}

void* HostMemory::allocate(std::size_t bytes, MemoryType type) {
  const std::size_t mapped = (bytes + kPage - 1) / kPage * kPage;
  void* const wanted = reinterpret_cast<void*>(next_);
  void* got = mmap(wanted, mapped, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  // If the address is taken, for example by the shadow memory of a sanitizer, any address is used.
  if (got == MAP_FAILED)
    got = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  next_ += mapped + kPage;  // an unmapped page after each piece detects overruns
  pieces_[got] = {bytes, mapped, type};
  device_.map_host(got, bytes);
  return got;
}

bool HostMemory::free(void* pointer) {
  auto found = pieces_.find(pointer);
  if (found == pieces_.end()) return false;
  device_.unmap_host(pointer);
  munmap(pointer, found->second.mapped);
  pieces_.erase(found);
  return true;
}

MemoryType HostMemory::type_of(const void* pointer) const {
  auto after = pieces_.upper_bound(pointer);
  if (after == pieces_.begin()) return kUnregistered;
  const auto& [start, piece] = *std::prev(after);
  return static_cast<const std::byte*>(pointer) < static_cast<const std::byte*>(start) + piece.bytes ? piece.type
                                                                                                     : kUnregistered;
}

}  // namespace sassim::cuda
