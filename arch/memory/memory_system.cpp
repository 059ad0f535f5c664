// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/memory_system.h"

#include "arch/memory/fixed_memory.h"
#include "arch/memory/full_memory.h"
#include "sim/base/error.h"

namespace sassim::arch {

std::unique_ptr<MemorySystem> MemorySystem::make(const config::GpuConfig& config) {
  if (config.memory.model == "fixed") return std::make_unique<FixedMemory>(config);
  if (config.memory.model == "full") return std::make_unique<FullMemory>(config);
  throw InputError("memory.model is '{}'; known: fixed, full", config.memory.model);
}

}  // namespace sassim::arch
