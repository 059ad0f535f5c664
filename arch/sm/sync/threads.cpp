// SPDX-License-Identifier: Apache-2.0
// The part of the SyncUnit for waits inside a warp: WARPSYNC and NANOSLEEP.
#include "arch/sm/sync/nap.h"
#include "arch/sm/sync/sync_unit.h"
#include "sim/config/groups/issue.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

/// Threads that wait with different masks are handled one mask after another.
void SyncUnit::sync_threads(WarpIndex warp, std::uint32_t masks, Cycle now) {
  const config::Issue& issue = state_.config.issue;
  const Cycle done = pipes_.occupy_adu(now, issue.warp_sync.interval) + issue.warp_sync.latency;
  if (masks > 1)
    state_.after(done, BlockEvent::Kind::sync_threads, warp, masks - 1);
  else
    state_.after(done, BlockEvent::Kind::release_hold, warp, 0);
}

/// If the threads reach WARPSYNC.ALL in groups, the first groups wait there, and finally all execute it again together,
/// which takes extra time.
void SyncUnit::join_threads(WarpIndex warp_index, CodeLine line, Cycle now) {
  const InstructionBuffer::Entry* next = state_.buffers[warp_index].second();
  const bool waits = next != nullptr && next->index != line + 1;
  if (!waits && warps_[warp_index].waits_to_join) {
    const config::Issue& issue = state_.config.issue;
    const Cycle start = pipes_.occupy_adu(now, issue.warp_join.interval);
    state_.warps[warp_index].hold = Hold::warp_sync;
    state_.after(start + issue.warp_join.latency, BlockEvent::Kind::release_hold, warp_index, 0);
  }
  warps_[warp_index].waits_to_join = waits;
}

/// Threads of a live warp sleep by themselves: the warp's program knows which others can run meanwhile.
void SyncUnit::sleep(WarpIndex warp_index, const StaticInstruction& instruction, CodeLine line, Cycle now) {
  const std::uint32_t nanoseconds =
      state_.buffers[warp_index].front_detail().sleep().value_or(instruction.sleep.nanoseconds);
  const Cycle wakes{nap_ends(now.value, nanoseconds, instruction.sleep.clock_hz)};
  if (state_.config.issue.threads_sleep && state_.buffers[warp_index].live())
    return state_.buffers[warp_index].sleep(wakes);
  state_.warps[warp_index].hold = Hold::sleep;
  state_.after(wakes, BlockEvent::Kind::release_hold, warp_index, line);
}

}  // namespace sassim::arch
