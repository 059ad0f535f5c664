// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/memory_system.h"

#include "sim/base/registry.h"

namespace sassim::arch {

std::unique_ptr<MemorySystem> MemorySystem::make(const config::GpuConfig& config) {
  return Registry<MemorySystem, const config::GpuConfig&>::instance().make(config.memory.model, config);
}

}  // namespace sassim::arch
