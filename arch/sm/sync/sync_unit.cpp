// SPDX-License-Identifier: Apache-2.0
// Passes each synchronisation instruction that issues to the part that times it: barrier, fence, WARPSYNC, copies.
#include "arch/sm/sync/sync_unit.h"

#include <algorithm>

#include "arch/sm/sync/named_barriers.h"
#include "sim/config/groups/pipes.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

SyncUnit::SyncUnit(BlockState& state, Dependences& dependences, BlockPipes& pipes, SmSync& sm)
    : state_(state),
      dependences_(dependences),
      pipes_(pipes),
      sm_(sm),
      copies_(state, sm.shared_barriers),
      warps_(state.warps.size()) {}

void SyncUnit::start_warp(WarpIndex warp) {
  warps_[warp] = {};
  copies_.start_warp(warp);
}

void SyncUnit::act(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now, Cycle result) {
  switch (instruction.action) {
    case Action::barrier:
      if (uses_memory_queue(instruction.resource)) return queued_.push_back(arrival(warp, instruction));
      // Warps arrive one after another, in the order in which the pipe accepts them.
      return arrive(arrival(warp, instruction), Cycle{result.value - instruction.latency});
    case Action::membar:
      return fence(warp, line, now);
    case Action::warp_sync:
      state_.warps[warp].hold = Hold::warp_sync;
      return sync_threads(warp, state_.buffers[warp].front_detail().sync_masks().value_or(1), now);
    case Action::join:
      return join_threads(warp, line, now);
    case Action::sleep:
      return sleep(warp, instruction, line, now);
    case Action::close_group:
    case Action::arrive_with_copies:
      return copies_.close_group(warp, instruction, line, now, result);
    case Action::wait_groups:
      if (copies_.wait(warp, line)) state_.warps[warp].hold = Hold::groups;
      return;
    case Action::shared_barrier:
      return copies_.use_barrier(warp, instruction, line, result);
    case Action::bulk_copy:
      return copies_.start_bulk(warp, line, result);
    case Action::none:
    case Action::memory:
    case Action::depbar:
    case Action::invalidate:
      return;
  }
}

SyncUnit::Work SyncUnit::work(WarpIndex warp, const StaticInstruction& instruction) const {
  Work work{instruction.interval, instruction.latency};
  if (instruction.values.each) {
    const std::uint32_t values = state_.buffers[warp].front_detail().match_values().value_or(1);
    const config::Match& match = state_.config.pipes.match;
    work.interval *= instruction.values.wide ? 2 * values : values;
    work.latency += instruction.values.wide ? values * match.wide_value_latency : (values - 1) * match.value_latency;
  } else {
    const std::uint32_t named = std::max(1u, NamedBarriers(state_.buffers[warp]).count);
    const std::uint32_t further = (named - 1) * state_.config.memory_io.barrier_serial;
    work.interval += further;
    work.latency += further;
  }
  return work;
}

void SyncUnit::written(WarpIndex warp, const StaticInstruction& instruction) {
  if (instruction.action == Action::close_group) copies_.counter_released(warp);
  Hold& hold = state_.warps[warp].hold;
  if (hold == Hold::groups && !copies_.waits(warp)) hold = Hold::none;
}

void SyncUnit::release(WarpIndex warp, Cycle now) {
  Hold& hold = state_.warps[warp].hold;
  if (hold == Hold::membar) {
    dependences_.written(warp, warps_[warp].fence_line, now);
    dependences_.read(warp, warps_[warp].fence_line);
  }
  if (hold == Hold::membar || hold == Hold::sleep || hold == Hold::warp_sync) hold = Hold::none;
}

}  // namespace sassim::arch
