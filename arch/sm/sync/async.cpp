// SPDX-License-Identifier: Apache-2.0
// What runs beside a processing block's warps: groups of copies to shared memory, and barriers there.
#include <algorithm>
#include <bit>

#include "arch/sm/processing_block.h"

namespace sassim::arch {

namespace {

/// The barriers that an instruction's lanes name, as the trace has them, and how many lanes name each in the same way.
struct NamedBarriers {
  struct One {
    std::uint32_t address = 0;
    int lane = 0;  ///< the first of those
    std::uint32_t lanes = 0;
  };
  std::array<One, kWarpSize> all;
  std::uint32_t count = 0;
  const trace::Detail& detail;

  explicit NamedBarriers(const InstructionBuffer& buffer) : detail(buffer.front_detail()) {
    const InstructionBuffer::Entry& entry = buffer.front();
    if (!entry.has_addresses) return;
    for (std::uint32_t left = entry.lanes.bits; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const auto address = static_cast<std::uint32_t>(buffer.front_addresses()[lane]);
      const auto end = all.begin() + count;
      const auto found = std::find_if(all.begin(), end, [&](const One& one) {
        return one.address == address && detail.raw(one.lane) == detail.raw(lane);
      });
      if (found == end) all[count++] = {address, lane, 0};
      ++found->lanes;
    }
  }
};

}  // namespace

std::uint32_t ProcessingBlock::barriers_named(std::uint32_t number) const {
  return std::max(1u, NamedBarriers(buffers_[number]).count);
}

void ProcessingBlock::copy_done(const InFlight& flight, Cycle now) {
  async_->groups[flight.warp].copy_done(flight.group);
  finish_groups(flight.warp, now);
}

void ProcessingBlock::close_group(std::uint32_t number, const StaticInstruction& instruction, std::uint32_t line,
                                  Cycle now, Cycle result) {
  AsyncGroups& groups = async_->groups[number];
  if (instruction.action == Action::close_group) {
    groups.close({line, result}, true);
  } else {
    const NamedBarriers named(buffers_[number]);
    if (named.count == 0) return;  // its guard was false, or the trace does not say where it arrives
    std::vector<Arrival>& arrivals = async_->arrivals[number];
    for (std::uint32_t i = 0; i < named.count; ++i)
      arrivals.push_back({line, named.all[i].address, named.all[i].lanes, i + 1 == named.count});
    groups.close({line, reaches_barriers(instruction, result)}, false);
  }
  finish_groups(number, now);
}

/// When an instruction's operation on barriers takes place, as one on other words of shared memory would.
Cycle ProcessingBlock::reaches_barriers(const StaticInstruction& instruction, Cycle result) const {
  return Cycle{result.value - instruction.latency + config_.memory_io.pipeline};
}

/// Ends the groups whose copies are done and that no earlier group holds up.
void ProcessingBlock::finish_groups(std::uint32_t number, Cycle now) {
  AsyncGroups& groups = async_->groups[number];
  for (const AsyncGroups::End* end = groups.finished(); end != nullptr; end = groups.finished()) {
    if ((*code_)[end->line].action == Action::close_group)
      after(std::max(end->earliest, now + config_.memory_io.async_group_tail), Kind::written, number, end->line);
    else
      arrive_for_copies(number, std::max(end->earliest, now));
    groups.pop();
  }
}

/// More than the warp's last DEPBAR.LE waits for.
bool ProcessingBlock::groups_left(std::uint32_t number) const {
  const Warp& warp = warps_[number];
  const StaticInstruction& instruction = (*code_)[warp.groups_line];
  if (code_->scoreboard()) return async_->groups[number].held() > instruction.depbar_limit;
  return warp.counters.value(instruction.depbar_counter, kNever) > instruction.depbar_limit ||
         warp.counters.pending(instruction.depbar_mask, kNever) != 0;
}

void ProcessingBlock::arrive_for_copies(std::uint32_t number, Cycle at) {
  std::vector<Arrival>& arrivals = async_->arrivals[number];
  std::size_t taken = 0;
  for (bool more = true; more; ++taken) {
    const Arrival& arrival = arrivals[taken];
    more = !arrival.last;
    const auto lanes = static_cast<std::int32_t>(arrival.lanes);
    SharedBarriers::Change change;
    if ((*code_)[arrival.line].barrier_op == SharedBarrierOp::end_transaction)
      change.transactions = -lanes;
    else
      change.arrivals = lanes;
    async_->barriers.change(warps_[number].place, arrival.address, change, at);
  }
  arrivals.erase(arrivals.begin(), arrivals.begin() + static_cast<std::ptrdiff_t>(taken));
}

void ProcessingBlock::use_barrier(std::uint32_t number, const StaticInstruction& instruction, std::uint32_t line,
                                  Cycle result) {
  if (instruction.barrier_op == SharedBarrierOp::check) return check_phases(number, line, result);
  const std::uint32_t place = warps_[number].place;
  const Cycle at = reaches_barriers(instruction, result);
  const NamedBarriers named(buffers_[number]);
  for (std::uint32_t i = 0; i < named.count; ++i) {
    const NamedBarriers::One& one = named.all[i];
    const auto lanes = static_cast<std::int32_t>(one.lanes);
    switch (instruction.barrier_op) {
      case SharedBarrierOp::init:
        if (const std::uint32_t expected = named.detail.expected_arrivals(one.lane).value_or(0); expected != 0)
          async_->barriers.init(place, one.address, expected);
        break;
      case SharedBarrierOp::forget:
        async_->barriers.forget(place, one.address);
        break;
      case SharedBarrierOp::begin_transaction:
        async_->barriers.change(place, one.address, {.transactions = lanes}, at);
        break;
      default:
        async_->barriers.change(
            place, one.address,
            {.arrivals = lanes * static_cast<std::int32_t>(std::max(1u, named.detail.arrivals(one.lane).value_or(1))),
             .leave = instruction.barrier_op == SharedBarrierOp::leave},
            at);
        break;
    }
  }
}

/// A check that found its phase over has its result when the phase is over here; one that did not, at once.
void ProcessingBlock::check_phases(std::uint32_t number, std::uint32_t line, Cycle result) {
  if (async_->free_checks.empty()) {
    async_->free_checks.push_back(static_cast<std::uint32_t>(async_->checks.size()));
    async_->checks.push_back({});
  }
  const std::uint32_t index = async_->free_checks.back();
  Check check{static_cast<std::uint8_t>(number), warps_[number].generation, line, 0, result};
  const NamedBarriers named(buffers_[number]);
  for (std::uint32_t i = 0; i < named.count; ++i) {
    const NamedBarriers::One& one = named.all[i];
    const std::optional<trace::PhaseTest> test = named.detail.phase_test(one.lane);
    if (!test || !test->over) continue;
    const Cycle over = async_->barriers.wait(warps_[number].place, one.address, test->phase, {slot(number), index});
    if (over == kNever)
      ++check.waits;
    else
      check.result = std::max(check.result, over);
  }
  if (check.waits == 0) return after(check.result, Kind::written, number, line);
  async_->checks[index] = check;
  async_->free_checks.pop_back();
}

void ProcessingBlock::phase_over(std::uint32_t index, Cycle now) {
  Check& check = async_->checks[index];
  if (--check.waits != 0) return;
  async_->free_checks.push_back(index);
  if (check.generation != warps_[check.warp].generation) return;
  after(std::max(check.result, now), Kind::written, check.warp, check.line);
}

}  // namespace sassim::arch
