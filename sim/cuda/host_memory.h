// SPDX-License-Identifier: Apache-2.0
// Pinned and managed memory: host memory that kernels may access. Its addresses are the same in every run, unless the
// process uses them for something else.
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

  /// Allocates zeroed memory that kernels may access; nullptr if there is no memory.
  void* allocate(std::size_t bytes, MemoryType type);
  bool free(void* pointer);
  /// The kind of memory at `pointer`, or kUnregistered.
  MemoryType type_of(const void* pointer) const;

 private:
  struct Piece {
    std::size_t bytes, mapped;
    MemoryType type;
  };
  emu::DeviceMemory& device_;
  std::map<const void*, Piece> pieces_;
  // Above the simulated device's address space and below the addresses where Linux places programs, in a range that
  // address and thread sanitizers leave to programs.
  std::uintptr_t next_ = 0x5500'0000'0000;
};

}  // namespace sassim::cuda
