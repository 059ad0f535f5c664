// SPDX-License-Identifier: Apache-2.0
// Pinned and managed memory: plain host memory that kernels may touch, at addresses that are the same in every run,
// unless the process has something else there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "sim/cuda/abi.h"
#include "sim/emu/core/device_memory.h"

namespace sassim::cuda {

class HostMemory {
 public:
  explicit HostMemory(emu::DeviceMemory& device) : device_(device) {}
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Zeroed memory, mapped for kernels; nullptr when the system has none.
  void* allocate(std::size_t bytes, MemoryType type);
  bool free(void* pointer);
  /// What kind of memory `pointer` lies in, or kUnregistered.
  MemoryType type_of(const void* pointer) const;

 private:
  struct Piece {
    std::size_t bytes, mapped;
    MemoryType type;
  };
  emu::DeviceMemory& device_;
  std::map<const void*, Piece> pieces_;
  // Above the simulated device's own address space, below where Linux puts programs, and where the sanitizers of
  // addresses and of threads both have programs' memory.
  std::uintptr_t next_ = 0x5500'0000'0000;
};

}  // namespace sassim::cuda
