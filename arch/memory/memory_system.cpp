// SPDX-License-Identifier: Apache-2.0
// Makes the model of the memory that `memory.model` names; a model that has no checkpoints says so.
#include "arch/memory/memory_system.h"

#include "sim/base/error.h"
#include "sim/base/registry.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

std::unique_ptr<MemorySystem> MemorySystem::make(const config::GpuConfig& config) {
  return Registry<MemorySystem, const config::GpuConfig&>::instance().make(config.memory.model, config);
}

void MemorySystem::save(StateWriter&) const {
  throw InputError(
      "this model of the memory (memory.model) cannot be saved in a checkpoint; known to work: full, fixed");
}

void MemorySystem::load(StateReader&) {
  throw InputError(
      "this model of the memory (memory.model) cannot be loaded from a checkpoint; known to work: full, fixed");
}

}  // namespace sassim::arch
