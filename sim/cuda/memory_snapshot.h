// SPDX-License-Identifier: Apache-2.0
// Device memory as it was before a kernel that has to run twice.
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
    std::vector<std::byte> bytes;
  };
  std::vector<Copy> copies_;
};

}  // namespace sassim::cuda
