// SPDX-License-Identifier: Apache-2.0
// The parts of AsyncCopies for groups of LDGSTS, and for arrivals and waits at barriers in shared memory (mbarrier).
#include "arch/sm/sync/async_copies.h"

#include <algorithm>

#include "arch/sm/sync/named_barriers.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

void AsyncCopies::start_warp(WarpIndex warp) {
  warps_[warp].groups.reset();
  warps_[warp].arrivals.clear();
  warps_[warp].waits_at = {};
}

void AsyncCopies::copy_done(WarpIndex warp, std::uint32_t group, Cycle now) {
  warps_[warp].groups.copy_done(group);
  finish_groups(warp, now);
}

void AsyncCopies::close_group(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now,
                              Cycle result) {
  WarpCopies& copies = warps_[warp];
  if (instruction.action == Action::close_group) {
    copies.groups.close({line, result}, true);
  } else {
    const NamedBarriers named(state_.buffers[warp]);
    if (named.count == 0) return;  // its guard was false, or the trace names no barrier
    for (const NamedBarriers::One& one : named) {
      const bool last = &one + 1 == named.end();
      copies.arrivals.push_back({line, one.address, one.lanes, last, last ? live_operation(warp) : LiveId{}});
    }
    copies.groups.close({line, reaches_barriers(instruction, result)}, false);
  }
  finish_groups(warp, now);
}

LiveId AsyncCopies::live_operation(WarpIndex warp) const {
  const InstructionBuffer& buffer = state_.buffers[warp];
  return buffer.live() ? state_.live->add(buffer.access()) : LiveId{};
}

/// When an instruction's operation on barriers takes place: at the same stage as an access to other words of shared
/// memory.
Cycle AsyncCopies::reaches_barriers(const StaticInstruction& instruction, Cycle result) const {
  return Cycle{result.value - instruction.latency + state_.config.memory_io.pipeline};
}

/// Ends the groups whose copies are all done and that wait for no earlier group.
void AsyncCopies::finish_groups(WarpIndex warp, Cycle now) {
  AsyncGroups& groups = warps_[warp].groups;
  for (const AsyncGroups::End* end = groups.finished(); end != nullptr; end = groups.finished()) {
    if ((*state_.code)[end->line].action == Action::close_group)
      state_.after(std::max(end->earliest, now), BlockEvent::Kind::written, warp, end->line);
    else
      arrive_for_copies(warp, std::max(end->earliest, now));
    groups.pop();
  }
}

bool AsyncCopies::waits(WarpIndex warp_index) const {
  const ResidentWarp& warp = state_.warps[warp_index];
  const StaticInstruction& instruction = (*state_.code)[warps_[warp_index].waits_at];
  if (state_.code->scoreboard()) return warps_[warp_index].groups.held() > instruction.depbar.limit;
  return warp.counters.value(instruction.depbar.counter, kNever) > instruction.depbar.limit ||
         warp.counters.pending(instruction.depbar.mask, kNever) != 0;
}

void AsyncCopies::arrive_for_copies(WarpIndex warp, Cycle at) {
  std::vector<Arrival>& arrivals = warps_[warp].arrivals;
  std::size_t taken = 0;
  for (bool more = true; more; ++taken) {
    Arrival& arrival = arrivals[taken];
    more = !arrival.last;
    const auto lanes = static_cast<std::int32_t>(arrival.lanes);
    SharedBarriers::Change change;
    if ((*state_.code)[arrival.line].shared_barrier.op == SharedBarrierOp::end_transaction)
      change.transactions = -lanes;
    else
      change.arrivals = lanes;
    state_.live->end(arrival.live);
    barriers_.change(state_.warps[warp].place, arrival.address, change, at);
  }
  arrivals.erase(arrivals.begin(), arrivals.begin() + static_cast<std::ptrdiff_t>(taken));
}

namespace {
std::int32_t bytes_of(const NamedBarriers& named, const NamedBarriers::One& one) {
  return static_cast<std::int32_t>(named.detail.bytes(one.lane).value_or(0));
}
}  // namespace

void AsyncCopies::use_barrier(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle result) {
  if (instruction.shared_barrier.op == SharedBarrierOp::check) return check_phases(warp, line, result);
  const std::uint32_t place = state_.warps[warp].place;
  const Cycle at = reaches_barriers(instruction, result);
  const NamedBarriers named(state_.buffers[warp]);
  for (const NamedBarriers::One& one : named) {
    const auto lanes = static_cast<std::int32_t>(one.lanes);
    switch (instruction.shared_barrier.op) {
      case SharedBarrierOp::init:
        if (const std::uint32_t expected = named.detail.expected_arrivals(one.lane).value_or(0); expected != 0)
          barriers_.init(place, one.address, expected);
        break;
      case SharedBarrierOp::invalidate:
        barriers_.invalidate(place, one.address);
        break;
      case SharedBarrierOp::begin_transaction:
        barriers_.change(place, one.address, {.transactions = lanes}, at);
        break;
      case SharedBarrierOp::expect_bytes:
        barriers_.change(place, one.address, {.transactions = lanes * bytes_of(named, one)}, at);
        break;
      case SharedBarrierOp::complete_bytes:
        barriers_.change(place, one.address, {.transactions = -lanes * bytes_of(named, one)}, at);
        break;
      case SharedBarrierOp::arrive_and_expect:
        barriers_.change(place, one.address, {.arrivals = lanes, .transactions = lanes * bytes_of(named, one)}, at);
        break;
      default:
        barriers_.change(
            place, one.address,
            {.arrivals = lanes * static_cast<std::int32_t>(std::max(1u, named.detail.arrivals(one.lane).value_or(1))),
             .leave = instruction.shared_barrier.op == SharedBarrierOp::leave},
            at);
        break;
    }
  }
}

/// A check that found its phase over gets its result once the phase is over here too; a check that did not, at once. A
/// TRYWAIT waits for the end of the phase in both cases, but in the second no longer than its limit.
void AsyncCopies::check_phases(WarpIndex warp, CodeLine line, Cycle result) {
  if (free_checks_.empty()) {
    free_checks_.push_back(static_cast<std::uint32_t>(checks_.size()));
    checks_.push_back({});
  }
  const std::uint32_t index = free_checks_.back(), most = state_.config.memory_io.barrier_try_limit;
  const bool tries = (*state_.code)[line].shared_barrier.tries && most != 0;
  Check check{
      static_cast<std::uint8_t>(warp), state_.warps[warp].generation, line, 0, result, kNever, live_operation(warp)};
  const NamedBarriers named(state_.buffers[warp]);
  for (const NamedBarriers::One& one : named) {
    const std::optional<trace::PhaseTest> test = named.detail.phase_test(one.lane);
    if (!test || (!test->over && !tries)) continue;
    const Cycle over = barriers_.wait(state_.warps[warp].place, one.address, test->phase, {state_.slot(warp), index});
    if (over != kNever) {
      check.result = std::max(check.result, over);
      continue;
    }
    ++check.waits;
    if (!test->over) check.limit = result + most;
  }
  free_checks_.pop_back();
  checks_[index] = check;
  if (check.waits == 0) return end_check(index, result);
  // A cycle before, because the result is an event of its own.
  if (check.limit != kNever) state_.after(Cycle{check.limit.value - 1}, BlockEvent::Kind::give_up, warp, index);
}

void AsyncCopies::phase_over(std::uint32_t index, Cycle now) {
  if (--checks_[index].waits == 0) end_check(index, now);
}

/// A phase whose end has been scheduled counts as ended.
void AsyncCopies::give_up(std::uint32_t index, Cycle now) {
  Check& check = checks_[index];
  if (check.waits == 0 || check.limit != now + 1) return;
  const WarpSlot slot = state_.slot(WarpIndex(check.warp));
  check.waits -= barriers_.leave(state_.warps[check.warp].place, {slot, index});
  if (check.waits == 0) end_check(index, now + 1);
}

/// If the warp has ended, its result is dropped: another warp may use its place.
void AsyncCopies::end_check(std::uint32_t index, Cycle now) {
  Check& check = checks_[index];
  free_checks_.push_back(index);
  if (check.generation != state_.warps[check.warp].generation) return state_.live->drop(check.live);
  state_.live->end(check.live);
  state_.after(std::max(check.result, now), BlockEvent::Kind::written, WarpIndex(check.warp), check.line);
}

bool AsyncCopies::arrives_at(WarpIndex warp, std::uint32_t address) const {
  const std::vector<Arrival>& arrivals = warps_[warp].arrivals;
  return std::any_of(arrivals.begin(), arrivals.end(), [&](const Arrival& a) { return a.address == address; });
}

}  // namespace sassim::arch
