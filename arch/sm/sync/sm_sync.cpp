// SPDX-License-Identifier: Apache-2.0
// Gives the barriers of an SM their latencies from the configuration.
#include "arch/sm/sync/sm_sync.h"

#include "arch/sm/common/unit_traits.h"
#include "sim/config/gpu_config.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

namespace {

/// Cycles from the last arrival until the barrier opens. Where BAR goes through the memory queue, the way to its unit
/// is a part of its latency.
std::uint32_t barrier_latency(const config::Sm& sm) {
  const std::uint32_t latency = sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::barrier)].latency;
  const std::uint32_t way = leaves_block(sm, isa::OpClass::barrier) ? sm.memory_io.pipeline + 1 : 0;
  return latency > way ? latency - way : 1;
}

}  // namespace

SmSync::SmSync(const config::GpuConfig& config)
    : barriers(barrier_latency(config.sm)),
      shared_barriers(config.sm.memory_io.barrier_wake, config.sm.memory_io.barrier_wake_interval) {}

}  // namespace sassim::arch
