// SPDX-License-Identifier: Apache-2.0
// The barriers of a block (BAR). Threads arrive; a warp whose living threads have all arrived counts as 32 threads.
#include <algorithm>

#include "sim/emu/core/machine.h"
#include "sim/emu/core/memory_check.h"

namespace sassim::emu {
namespace {

std::uint32_t arrived_threads(const Block& block, const BlockBarrier& barrier) {
  std::uint32_t count = 0;
  for (const Warp& warp : block.warps) {
    const std::uint32_t lanes = barrier.arrived[warp.index];
    const bool whole = lanes != 0 && (warp.alive & ~lanes) == 0;
    count += whole ? 32u : static_cast<std::uint32_t>(std::popcount(lanes));
  }
  return count;
}

bool complete(const Block& block, const BlockBarrier& barrier) {
  if (barrier.expected != 0) return arrived_threads(block, barrier) >= barrier.expected;
  for (const Warp& warp : block.warps)
    if ((warp.alive & ~barrier.arrived[warp.index]) != 0) return false;
  return true;
}

void release(Block& block, std::uint8_t index) {
  BlockBarrier& barrier = block.barriers[index];
  for (Warp& warp : block.warps) {
    if (barrier.arrived[warp.index] == 0) continue;
    if (barrier.voters != 0) {
      warp.reduction_count = barrier.votes;
      warp.reduction_truth = static_cast<BarrierReduction>(barrier.reduction) == BarrierReduction::all
                                 ? barrier.votes == barrier.voters
                                 : barrier.votes != 0;
    }
    for (Fragment& fragment : warp.fragments)
      if (fragment.state == FragmentState::at_barrier && fragment.barrier == index) {
        fragment.state = FragmentState::ready;
        fragment.released = true;
        ++fragment.pc;
      }
  }
  barrier = BlockBarrier{};
  if (MemoryCheck* check = MemoryCheck::active()) check->complete(block, index);
}

}  // namespace

void arrive(Context& context, const Arrival& arrival) {
  BlockBarrier& barrier = context.block.barriers[arrival.barrier];
  if (!barrier.in_use) {
    barrier.in_use = true;
    barrier.arrived.assign(context.block.warps.size(), 0);
  }
  barrier.expected = arrival.threads;
  barrier.arrived[context.warp.index] |= arrival.lanes;
  if (arrival.reduce) {
    barrier.votes += static_cast<std::uint32_t>(std::popcount(arrival.votes));
    barrier.voters += static_cast<std::uint32_t>(std::popcount(arrival.lanes));
    barrier.reduction = static_cast<std::uint8_t>(arrival.reduction);
  }
  if (MemoryCheck* check = MemoryCheck::active())
    check->arrives(context.block, context.warp.index, arrival.barrier, arrival.wait);
  if (arrival.wait) {
    context.fragment->state = FragmentState::at_barrier;
    context.fragment->barrier = arrival.barrier;
    context.outcome = Outcome::stopped;
  }
  // An arrival completes no other barrier.
  if (complete(context.block, barrier)) release(context.block, arrival.barrier);
}

void check_barriers(Block& block) {
  for (std::uint8_t i = 0; i < block.barriers.size(); ++i)
    if (block.barriers[i].in_use && complete(block, block.barriers[i])) release(block, i);
}

}  // namespace sassim::emu
