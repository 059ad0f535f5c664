// SPDX-License-Identifier: Apache-2.0
// The part of the issue stage that finds why a warp does not issue, why an issue slot is lost, and how long a branch
// delays fetch. Of these functions only leaves_pool() changes state.
#include "arch/sm/issue/issue_stage.h"
#include "arch/sm/issue/refusal.h"
#include "sim/config/groups/issue.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

namespace {
constexpr std::uint64_t kAskAgain = 16;  ///< cycles until a live warp whose threads all wait is asked again
}

StallReason IssueStage::why_not(WarpIndex warp_index, Cycle now, Cycle& until) const {
  const ResidentWarp& warp = state_.warps[warp_index];
  const InstructionBuffer& buffer = state_.buffers[warp_index];
  until = kNever;
  if (warp.hold != Hold::none) {
    if (warp.hold == Hold::constant) return StallReason::imc_miss;
    if (warp.hold == Hold::drain) return StallReason::drain;
    if (const StallReason reason = SyncUnit::why_not(warp, now); reason != StallReason::not_selected) return reason;
  }
  if (buffer.path_unknown()) {
    const bool sleeps = buffer.wakes() != kNever;
    until = sleeps ? buffer.wakes() : now + kAskAgain;
    return sleeps ? StallReason::sleeping : StallReason::barrier;
  }
  Scoreboard::Answer answer;
  const bool stalled = warp.stall_until > now;
  if (stalled) {
    until = warp.stall_until;
  } else {
    if (warp.starting) return StallReason::starting;
    if (buffer.fetched() == 0 && warp.flow.redirected) return StallReason::branch_resolving;
    if (buffer.fetched() == 0 || buffer.front().ready > now) {
      if (buffer.fetched() != 0) until = buffer.front().ready;
      return warp.flow.reconverging ? StallReason::branch_resolving : StallReason::no_instruction;
    }
    answer = to_.dependences.check(warp_index, now);
    until = answer.until;
  }
  if (stalled || answer.block == Scoreboard::Block::fixed) return StallReason::wait;
  if (answer.block == Scoreboard::Block::long_latency) return StallReason::long_scoreboard;
  if (answer.block == Scoreboard::Block::short_latency) return StallReason::short_scoreboard;
  if (until <= now) until = kNever;
  return StallReason::not_selected;
}

/// Whether the instruction behind `last`, which has just issued, may issue in the same cycle.
bool IssueStage::pairs_with_last(WarpIndex warp_index, CodeLine last, Cycle now) const {
  const InstructionBuffer& buffer = state_.buffers[warp_index];
  if (buffer.finished() || buffer.path_unknown() || buffer.front().index != last + 1) return false;
  Cycle until;
  if (why_not(warp_index, now, until) != StallReason::not_selected) return false;
  const Resource first = (*state_.code)[last].resource, second = state_.front(warp_index).resource;
  if (first == second && first == Resource::fma) return to_.pipes.takes_second(now);
  return !to_.pipes.input(second).busy(now);
}

/// An issue slot gets the stall reason of the warp that the block would prefer: the one that issued last, else the
/// youngest.
StallReason IssueStage::slot_reason(Cycle now) const {
  if (state_.resident == 0) return StallReason::no_warp;
  const WarpIndex last = state_.view.last;
  const ResidentWarp& warp = state_.warps[last != kMaxBlockWarps ? last : state_.youngest];
  if (warp.reason != StallReason::not_selected) return warp.reason;
  return to_.pipes.input(warp.resource).busy(now) ? refusal(warp.resource) : StallReason::dispatch_stall;
}

/// True if the warp that issued last loses its turn; at least one slot has been lost since it issued. If its
/// variable-latency instruction was ready before `now`, its pipe or queue was full. A fixed-latency instruction may
/// reuse operands that its warp has just read, so this warp keeps its turn, unless it yielded and another warp has
/// waited.
bool IssueStage::was_refused(WarpMask candidates, Cycle now) const {
  const WarpIndex last = state_.view.last;
  if (control_free_ >= now || last == kMaxBlockWarps) return false;
  const auto waited = [&](std::size_t warp_index) {
    return state_.warps[warp_index].reason == StallReason::not_selected && state_.warps[warp_index].since < now;
  };
  if (!in(candidates, last)) return false;
  if (!state_.front(last).fixed) return waited(last);
  for (; last_yields_ && candidates != 0; candidates &= candidates - 1)
    if (waited(static_cast<std::size_t>(std::countr_zero(candidates)))) return true;
  return false;
}

/// Notes which threads a branch of `issued` leaves behind. True if the next threads are others that come from the pool
/// of the warp's waiting threads; choosing them takes `give_way_latency`. The threads that the last divergent branch
/// left behind are not in the pool, and continue at once.
bool IssueStage::leaves_pool(ResidentWarp& warp, const StaticInstruction& before, LaneMask issued, LaneMask next) {
  if (before.flow.branches && (issued.bits & ~next.bits) != 0 && (next.bits & ~issued.bits) == 0) {
    warp.live.other_side = LaneMask(issued.bits & ~next.bits);
    return false;
  }
  const bool other_side = next == warp.live.other_side;
  if (other_side) warp.live.other_side = {};
  return !other_side && (next.bits & issued.bits) == 0;
}

/// The same of threads that continue after a YIELD, and of threads whose convergence barrier waited last for a thread
/// that yielded.
bool IssueStage::comes_from_pool(const InstructionBuffer::Entry* next, const StaticInstruction& before) const {
  if (next == nullptr || next->index == 0 || state_.config.issue.give_way_latency == 0) return false;
  const StaticInstruction& front = (*state_.code)[CodeLine(next->index - 1)];
  return front.issue.gives_way || (before.issue.gives_way && front.flow.fetch_after != 0);
}

/// Cycles from the issue of an instruction that redirects its warp until the next instruction is fetched.
std::uint32_t IssueStage::redirect_latency(const InstructionBuffer::Entry* next, const StaticInstruction& before,
                                           bool from_pool) const {
  const config::Issue& issue = state_.config.issue;
  if (comes_from_pool(next, before)) return issue.give_way_latency;
  if (before.issue.gives_way) return issue.branch_latency;
  if (from_pool && issue.give_way_latency != 0) return issue.give_way_latency;
  if (before.flow.fetch_after != 0) return before.flow.fetch_after;
  return before.flow.indirect && issue.indirect.latency != 0 ? issue.indirect.latency : issue.branch_latency;
}

}  // namespace sassim::arch
