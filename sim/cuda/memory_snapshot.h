// SPDX-License-Identifier: Apache-2.0
// A copy of device memory before a kernel that has to run twice.
#pragma once

#include <vector>

#include "sim/emu/core/device_memory.h"

namespace sassim::cuda {

class MemorySnapshot {
 public:
  explicit MemorySnapshot(const emu::DeviceMemory& memory);
  void restore() const;

 private:
  struct Copy {
    std::byte* host;
    std::size_t bytes;
    std::vector<std::byte> content;  ///< empty: zeros, as in most pages, which were never used
  };
  std::vector<Copy> copies_;
};

}  // namespace sassim::cuda
