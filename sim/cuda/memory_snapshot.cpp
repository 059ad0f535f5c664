// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/memory_snapshot.h"

#include <cstring>

namespace sassim::cuda {

MemorySnapshot::MemorySnapshot(const emu::DeviceMemory& memory) {
  memory.for_each([&](const emu::Allocation& allocation) {
    copies_.push_back({allocation.host, {allocation.host, allocation.host + allocation.bytes}});
  });
}

void MemorySnapshot::restore() const {
  for (const Copy& copy : copies_) std::memcpy(copy.host, copy.bytes.data(), copy.bytes.size());
}

}  // namespace sassim::cuda
