// SPDX-License-Identifier: Apache-2.0
// The part of the SyncUnit for fences: MEMBAR, and the stores for which fences wait.
#include <algorithm>

#include "arch/sm/sync/sync_unit.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

std::uint32_t SyncUnit::store_issued(WarpIndex warp, const StaticInstruction& instruction) {
  const InstructionBuffer& buffer = state_.buffers[warp];
  if (!instruction.memory.waits || !buffer.front().has_addresses || buffer.front().lanes.none())
    return Operation::kNoEpoch;
  return sm_.fences.store_issued();
}

void SyncUnit::fence(WarpIndex warp_index, CodeLine line, Cycle now) {
  ResidentWarp& warp = state_.warps[warp_index];
  warp.hold = Hold::membar;
  warps_[warp_index].fence_line = line;
  warps_[warp_index].fence_at = now;
  if (!fence_asks_memory(warp_index))
    state_.after(now + fence_cycles((*state_.code)[line].scope), BlockEvent::Kind::release_hold, warp_index, line);
  else if (warp.memory.outstanding == 0)
    ask_memory(warp_index, now);
}

void SyncUnit::memory_idle(WarpIndex warp_index, Cycle now) {
  if (state_.warps[warp_index].hold == Hold::membar && fence_asks_memory(warp_index)) ask_memory(warp_index, now);
}

/// Threads of the same block share the L1, so a fence of block scope does not wait for requests behind it.
bool SyncUnit::fence_asks_memory(WarpIndex warp) const {
  return (*state_.code)[warps_[warp].fence_line].scope != Scope::cta;
}

/// The warp's own operations are done: the fence sends the slices a query about the other stores of the SM.
void SyncUnit::ask_memory(WarpIndex warp, Cycle now) {
  const Scope scope = (*state_.code)[warps_[warp].fence_line].scope;
  const config::MemoryIo& io = state_.config.memory_io;
  const std::uint32_t least = scope == Scope::sys ? io.membar_l2.host : io.membar_l2.idle;
  sm_.fences.arrive(state_.slot(warp), scope == Scope::sys, warps_[warp].fence_at, least, fence_cycles(scope), now);
}

std::uint32_t SyncUnit::fence_cycles(Scope scope) const {
  const config::MemoryIo& io = state_.config.memory_io;
  return std::max(1u, scope == Scope::cta ? io.membar_cta : scope == Scope::gpu ? io.membar_gpu : io.membar_sys);
}

}  // namespace sassim::arch
