// SPDX-License-Identifier: Apache-2.0
// Counts the warps that arrive at a __syncthreads() or named barrier, and releases them when the last one has come.
#include "arch/sm/sync/barrier_unit.h"

#include <algorithm>

namespace sassim::arch {

void BarrierUnit::start_block(std::uint32_t place, std::uint32_t warps) {
  if (blocks_.size() <= place) blocks_.resize(place + 1);
  blocks_[place].alive = warps;
  for (Barrier& barrier : blocks_[place].barriers) {
    barrier.arrived = barrier.expected = 0;
    barrier.latest = Cycle{};
    barrier.waiting.clear();
  }
}

void BarrierUnit::arrive(std::uint32_t place, std::uint32_t id, std::uint32_t expected, bool waits, WarpSlot warp,
                         Cycle now) {
  Block& block = blocks_[place];
  Barrier& barrier = block.barriers[id % kBarriers];
  ++barrier.arrived;
  barrier.expected = expected;
  barrier.latest = std::max(barrier.latest, now);
  if (waits) barrier.waiting.push_back(warp);
  open_if_complete(block, barrier, now);
}

void BarrierUnit::retire(std::uint32_t place, Cycle now) {
  Block& block = blocks_[place];
  --block.alive;
  for (Barrier& barrier : block.barriers)
    if (barrier.arrived != 0 && barrier.expected == 0) open_if_complete(block, barrier, now);
}

void BarrierUnit::open_if_complete(Block& block, Barrier& barrier, Cycle now) {
  const std::uint32_t needed = barrier.expected != 0 ? barrier.expected : block.alive;
  if (barrier.arrived < needed) return;
  const Cycle last = std::max(barrier.latest, now);
  for (WarpSlot warp : barrier.waiting) releases_.add(last + std::max(1u, latency_), warp);
  barrier.arrived = 0;
  barrier.waiting.clear();
}

std::array<std::uint32_t, 2> BarrierUnit::state(std::uint32_t place, std::uint32_t id) const {
  const Barrier& barrier = blocks_[place].barriers[id % kBarriers];
  return {barrier.arrived, barrier.expected != 0 ? barrier.expected : blocks_[place].alive};
}

}  // namespace sassim::arch
