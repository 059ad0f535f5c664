// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/sync/sm_sync.h"

#include <memory>

#include "arch/memory/address_map.h"
#include "arch/network/topology.h"

namespace sassim::arch {

namespace {

std::uint32_t barrier_latency(const config::Sm& sm) {
  return sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::barrier)].latency;
}

/// Cycles of a fence's query to the home slice of an address, in the SM's own half of the chip or in the other half.
FenceUnit::Distance distances(const config::GpuConfig& config, SmId sm) {
  const config::MemoryIo& io = config.sm.memory_io;
  const std::uint32_t own_half = io.membar_near, other_half = io.membar_far;
  auto topology = std::make_shared<const Topology>(config);
  if (topology->halves() < 2) return [own_half](std::uint64_t) { return own_half; };
  return [=, map = std::make_shared<const SliceMap>(config.memory.l2)](std::uint64_t address) {
    const Endpoint home = Endpoint::of_slice(map->place(address).slice);
    return topology->apart(Endpoint::of_sm(sm), home) ? other_half : own_half;
  };
}

}  // namespace

SmSync::SmSync(const config::GpuConfig& config, SmId sm)
    : barriers(barrier_latency(config.sm)),
      fences(distances(config, sm)),
      shared_barriers(config.sm.memory_io.barrier_wake, config.sm.memory_io.barrier_wake_interval) {}

}  // namespace sassim::arch
