// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/sync/sm_sync.h"

#include "sim/config/gpu_config.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

namespace {

std::uint32_t barrier_latency(const config::Sm& sm) {
  return sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::barrier)].latency;
}

}  // namespace

SmSync::SmSync(const config::GpuConfig& config)
    : barriers(barrier_latency(config.sm)),
      shared_barriers(config.sm.memory_io.barrier_wake, config.sm.memory_io.barrier_wake_interval) {}

}  // namespace sassim::arch
