// SPDX-License-Identifier: Apache-2.0
// The issue stage, with Control and Allocate behind it: their timing is known the moment an instruction issues.
#include <algorithm>
#include <bit>

#include "arch/sm/processing_block.h"
#include "sim/base/error.h"
#include "sim/base/nap.h"

namespace sassim::arch {

namespace {
constexpr std::uint64_t kControl = 1;   ///< cycles from issue to Control
constexpr std::uint64_t kAllocate = 2;  ///< cycles from issue to Allocate
constexpr std::uint64_t kAskAgain = 16;  ///< cycles until a live warp whose threads all wait is asked again
}  // namespace

StallReason ProcessingBlock::refusal(Resource resource) {
  switch (resource) {
    case Resource::local_global:
      return StallReason::lg_throttle;
    case Resource::texture:
      return StallReason::tex_throttle;
    case Resource::shared:
    case Resource::mio:
    case Resource::adu:
    case Resource::xu:
      return StallReason::mio_throttle;
    default:
      return StallReason::math_pipe_throttle;
  }
}

Scoreboard::Answer ProcessingBlock::dependence(std::uint32_t number, Cycle now) const {
  const std::uint32_t line = buffers_[number].front().index;
  if (code_->scoreboard()) return scoreboards_[number].check(code_->scoreboard_use(line), now);
  const StaticInstruction& instruction = (*code_)[line];
  const DependenceCounters& counters = warps_[number].counters;
  std::uint8_t named = instruction.wait_mask;
  std::uint8_t pending = counters.pending(named, now);
  if (instruction.action == Action::depbar) {
    named |= static_cast<std::uint8_t>(instruction.depbar_mask | 1u << instruction.depbar_counter);
    pending |= counters.pending(instruction.depbar_mask, now);
    if (counters.value(instruction.depbar_counter, now) > instruction.depbar_limit)
      pending |= static_cast<std::uint8_t>(1u << instruction.depbar_counter);
  }
  Scoreboard::Answer answer;
  answer.until = counters.hides(named, now) ? counters.hidden_until() : kNever;
  if (pending != 0)
    answer.block = counters.held_by_long(pending) ? Scoreboard::Block::long_latency : Scoreboard::Block::short_latency;
  return answer;
}

StallReason ProcessingBlock::why_not(std::uint32_t number, Cycle now, Cycle& until) const {
  const Warp& warp = warps_[number];
  const InstructionBuffer& buffer = buffers_[number];
  until = kNever;
  switch (warp.hold) {
    case Hold::barrier:
      if (warp.stall_until > now) break;  // only a warp that could issue counts as waiting for the others
      return StallReason::barrier;
    case Hold::groups:
      if (warp.stall_until > now) break;
      return StallReason::long_scoreboard;
    case Hold::membar:
      return StallReason::membar;
    case Hold::warp_sync:
      return StallReason::branch_resolving;
    case Hold::sleep:
      return StallReason::sleeping;
    case Hold::constant:
      return StallReason::imc_miss;
    case Hold::drain:
      return StallReason::drain;
    case Hold::none:
      break;
  }
  if (buffer.path_unknown()) {
    until = now + kAskAgain;
    return StallReason::barrier;
  }
  Scoreboard::Answer answer;
  const bool stalled = warp.stall_until > now;
  if (stalled) {
    until = warp.stall_until;
  } else {
    if (buffer.fetched() == 0 && warp.redirected) return StallReason::branch_resolving;
    if (buffer.fetched() == 0 || buffer.front().ready > now) {
      if (buffer.fetched() != 0) until = buffer.front().ready;
      return StallReason::no_instruction;
    }
    answer = dependence(number, now);
    until = answer.until;
  }
  if (stalled || answer.block == Scoreboard::Block::fixed) return StallReason::wait;
  if (answer.block == Scoreboard::Block::long_latency) return StallReason::long_scoreboard;
  if (answer.block == Scoreboard::Block::short_latency) return StallReason::short_scoreboard;
  if (until <= now) until = kNever;
  return StallReason::not_selected;
}

WarpMask ProcessingBlock::eligible(Cycle now) const {
  WarpMask mask = 0;
  for (std::uint32_t rest = present_; rest != 0; rest &= rest - 1) {
    const auto r = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (!input(static_cast<Resource>(r)).busy(now)) mask |= ready_[r];
  }
  return mask;
}

/// No warp has issued since the last one did. If that warp was ready before `now`, its pipe or queue had no room. A
/// fixed-latency instruction may reuse operands that its warp has read, so its warp is not refused and continues,
/// unless it has yielded while other warps waited.
bool ProcessingBlock::was_refused(WarpMask candidates, Cycle now) const {
  if (control_free_ >= now || view_.last >= warps_.size()) return false;
  const auto waited = [&](std::size_t number) {
    return warps_[number].reason == StallReason::not_selected && warps_[number].since < now;
  };
  if ((candidates >> view_.last & 1) == 0) return false;
  if (!front(view_.last).fixed) return waited(view_.last);
  for (; last_yields_ && candidates != 0; candidates &= candidates - 1)
    if (waited(static_cast<std::size_t>(std::countr_zero(candidates)))) return true;
  return false;
}

void ProcessingBlock::issue(Cycle now) {
  if (control_free_ > now) {
    for (std::uint32_t rest = present_; rest != 0; rest &= rest - 1) {
      const auto r = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (!input(static_cast<Resource>(r)).busy(now)) ++dispatch_[r];
    }
    slots_.count(now, slot_reason(now));
  } else if (const WarpMask candidates = eligible(now); candidates != 0) {
    view_.refused = was_refused(candidates, now);
    select(scheduler_->pick(candidates, view_), now);
  } else {
    slots_.count(now, slot_reason(now));
  }
  slots_.idle(slot_reason(now + 1));
}

void ProcessingBlock::constant_missed(std::uint32_t number, Cycle now) {
  warps_[number].hold = Hold::constant;
  control_free_ = now + config_.issue.constant_miss_switch;
  update(number, now);
  slots_.count(now, StallReason::imc_miss);
}

void ProcessingBlock::select(std::uint32_t number, Cycle now) {
  Warp& warp = warps_[number];
  const InstructionBuffer::Entry& entry = buffers_[number].front();
  const std::uint32_t line = entry.index;
  const StaticInstruction& instruction = (*code_)[line];
  if (instruction.checks_constant &&
      !constants_.access(instruction.constant_address, number, now, line * kInstructionBytes))
    return constant_missed(number, now);
  if (buffers_[number].live() && !entry.executed) [[unlikely]]
    buffers_[number].execute(now);
  if (instruction.indexes_constant && entry.has_addresses && !entry.lanes.none()) {
    const std::uint64_t at = buffers_[number].front_addresses()[std::countr_zero(entry.lanes.bits)];
    const auto address = static_cast<std::uint32_t>(at >> 32 << 16 | (at & 0xffff));
    if (!constants_.access_indexed(address, number, now, line * kInstructionBytes)) return constant_missed(number, now);
  }

  charge(warp, now);
  leave_ready(number);
  LineStalls& stalls = stalls_[line];
  ++stalls.cycles[index(StallReason::selected)];
  if (!entry.nobody) stalls.threads += static_cast<std::uint64_t>(entry.active.count());
  stalls.threads_executed += static_cast<std::uint64_t>(entry.lanes.count());
  slots_.count(now, StallReason::selected);
  ++warp.accounted;
  warp.since = now + 1;
  warp.reason = StallReason::selected;
  ++issued_;
  ++issued_to_[static_cast<std::size_t>(instruction.resource)];

  warp.stall_until = now + instruction.stall;
  if (!code_->scoreboard())
    warp.counters.hold(instruction.write_counter, instruction.read_counter, instruction.long_latency, now);
  if (instruction.reads_clock)
    clock_reads_.push_back({warp.block, warp.number, warp.clock_reads++, line, now + kControl});
  control_free_ = now + 1;
  Cycle result = kNever;
  if (instruction.action == Action::memory)
    send_to_memory(number, instruction, line, now);
  else
    result = execute(number, instruction, line, now);
  if (observer_ != nullptr) observer_->issued(name(number), line, now, result);
  act(number, instruction, line, now, result);
  advance_stream(number, instruction, now);
  view_.issued(number);
  last_yields_ = instruction.yields;
  update(number, now + 1);
}

Cycle ProcessingBlock::execute(std::uint32_t number, const StaticInstruction& instruction, std::uint32_t line,
                               Cycle now) {
  std::uint64_t hold = 0;
  if (instruction.fixed) {
    const Cycle enters = std::max(now + kAllocate, last_allocate_ + 1);
    last_allocate_ = registers_.allocate(number, instruction, enters);
    // Control is free for the next instruction when this one moves on.
    control_free_ = enters + registers_.waited_for_queued() - 1;
    hold = last_allocate_.value - (now.value + kAllocate);
  } else {
    registers_.read_later(number, instruction, now + kAllocate);
  }
  std::uint32_t interval = instruction.interval, latency = instruction.latency;
  if (instruction.by_values) {
    const std::uint32_t values = count_in_trace(number);
    const config::Match& match = config_.pipes.match;
    interval *= instruction.wide_values ? 2 * values : values;
    latency += instruction.wide_values ? values * match.wide_value_latency : (values - 1) * match.value_latency;
  }
  if (instruction.action == Action::shared_barrier) [[unlikely]] {
    const std::uint32_t further = (barriers_named(number) - 1) * config_.memory_io.barrier_serial;
    interval += further;
    latency += further;
  }
  const Cycle start = instruction.resource == Resource::none
                          ? now + hold
                          : pipes_[static_cast<std::size_t>(instruction.resource)].take(now, hold, interval);
  const Cycle result = start + latency;
  if (instruction.fixed && instruction.write_banks != 0) registers_.write(instruction.write_banks, result);
  if (instruction.action == Action::membar) return kNever;
  if (instruction.result_later) [[unlikely]] {
    if (code_->scoreboard()) scoreboards_[number].issue(code_->scoreboard_use(line), kNever, true, true);
    if (code_->scoreboard() || instruction.read_counter != isa::kNoCounter)
      after(start + kAllocate + config_.register_file.read_window, Kind::read, number, line);
    return result;
  }
  if (code_->scoreboard()) {
    scoreboards_[number].issue(code_->scoreboard_use(line), result, false, false);
    return result;
  }
  if (instruction.write_counter != isa::kNoCounter) after(result, Kind::written, number, line);
  if (instruction.read_counter != isa::kNoCounter) {
    const Cycle read = start + kAllocate + config_.register_file.read_window;
    after(std::min(read, result), Kind::read, number, line);
  }
  return result;
}

void ProcessingBlock::send_to_memory(std::uint32_t number, const StaticInstruction& instruction, std::uint32_t line,
                                     Cycle now) {
  Warp& warp = warps_[number];
  const InstructionBuffer& buffer = buffers_[number];
  const InstructionBuffer::Entry& entry = buffer.front();
  registers_.read_later(number, instruction, now + kAllocate);
  if (free_tokens_.empty()) {
    free_tokens_.push_back(static_cast<std::uint32_t>(in_flight_.size()));
    in_flight_.push_back({});
  }
  const std::uint32_t token = free_tokens_.back();
  free_tokens_.pop_back();
  const bool stores = instruction.waits_for_memory && entry.has_addresses && !entry.lanes.none();
  const std::uint32_t epoch =
      stores ? fences_.store_issued(buffer.front_addresses()[std::countr_zero(entry.lanes.bits)]) : FenceUnit::kNone;
  const std::uint32_t group = instruction.copies ? async_->groups[number].copy_issued() : 0;
  in_flight_[token] = {
      static_cast<std::uint8_t>(number), false, false, false, false, warp.generation, epoch, group, line};
  ++warp.outstanding;
  if (code_->scoreboard())
    scoreboards_[number].issue(code_->scoreboard_use(line), kNever, true, instruction.long_latency);

  LsuOp& op = memory_queue_.push(instruction.resource == Resource::local_global && !instruction.uniform_address, now);
  if (instruction.copies) memory_queue_.occupy(config_.memory_io.async_release);  // it has a second address
  op.token = token | std::uint32_t{number_} << 24;
  op.warp = slot(number);
  op.pc = static_cast<std::uint32_t>(line) * kInstructionBytes;
  op.decoded = &code_->decoded(line);
  op.space = entry.space != isa::Space::none ? entry.space : op.decoded->space;
  op.lanes = entry.lanes;
  if (entry.has_addresses)
    buffer.front_addresses().expand(entry.lanes, op.addresses);
  else if (instruction.has_constant)
    op.addresses.fill(std::uint64_t{instruction.constant_address >> 16} << 32 |
                      (instruction.constant_address & 0xffff));
  else
    op.lanes = LaneMask{};  // the trace knows of no access
  op.local_base_thread = warp.local_base_thread;
  op.local_bytes = code_->kernel().local_bytes;
  op.uniform_address = instruction.uniform_address;
  op.live = nullptr;
  if (buffer.live() && buffer.access() != nullptr) [[unlikely]] {
    op.live = in_flight_[token].live = buffer.access();
    load_store_->begin(*op.live, op.decoded->bypasses_l1);
  }
}

ProcessingBlock::BarrierName ProcessingBlock::barrier_of(std::uint32_t number,
                                                         const StaticInstruction& instruction) const {
  if (!instruction.barrier_in_trace) return {instruction.barrier, instruction.barrier_threads};
  const InstructionBuffer& buffer = buffers_[number];
  const InstructionBuffer::Entry& entry = buffer.front();
  if (!entry.has_addresses || entry.lanes.none()) {
    const isa::Instruction& text = code_->kernel().code[entry.index];
    throw NotSupported("{}: '{}' at pc {:#x} takes its barrier from a register, which this trace does not hold",
                       code_->kernel().name, text.text(), text.pc);
  }
  const std::uint64_t value = buffer.front_addresses()[std::countr_zero(entry.lanes.bits)];
  return {static_cast<std::uint32_t>(value & 15), static_cast<std::uint32_t>(value >> 16 & 0xfff)};
}

void ProcessingBlock::arrive(std::uint32_t number, const StaticInstruction& instruction, Cycle now) {
  Warp& warp = warps_[number];
  const InstructionBuffer& buffer = buffers_[number];
  if (buffer.front().lanes.none()) return;  // its guard was false
  // Threads of a diverged warp arrive one group after the other. The warp as a whole is there when the trace goes on
  // with a thread that waits.
  warp.at_barrier = warp.at_barrier | buffer.front().active;
  const InstructionBuffer::Entry* next = buffer.second();
  const bool others_run = instruction.barrier_waits && next != nullptr && (next->active & warp.at_barrier).none();
  if (others_run) return;
  warp.at_barrier = LaneMask{};
  const bool waits = instruction.barrier_waits && next != nullptr;
  if (waits) warp.hold = Hold::barrier;
  const auto [barrier, threads] = barrier_of(number, instruction);
  barriers_.arrive(warp.place, barrier, (threads + kWarpSize - 1u) / kWarpSize, waits, slot(number), now);
}

/// The number of different masks of a WARPSYNC, or of different values of a MATCH, from the trace; `otherwise` if the
/// trace does not say.
std::uint32_t ProcessingBlock::count_in_trace(std::uint32_t number, std::uint32_t otherwise) const {
  const InstructionBuffer& buffer = buffers_[number];
  const InstructionBuffer::Entry& entry = buffer.front();
  if (!entry.has_addresses || entry.lanes.none()) return otherwise;
  return static_cast<std::uint32_t>(buffer.front_addresses()[std::countr_zero(entry.lanes.bits)]);
}

/// Threads that come to WARPSYNC.ALL in groups wait there, and all execute it once more together, which takes its time.
void ProcessingBlock::join_threads(std::uint32_t number, std::uint32_t line, Cycle now) {
  Warp& warp = warps_[number];
  const InstructionBuffer::Entry* next = buffers_[number].second();
  const bool waits = next != nullptr && next->index != line + 1;
  if (!waits && warp.waits_to_join) {
    const config::Issue& issue = config_.issue;
    const Cycle start = pipes_[static_cast<std::size_t>(Resource::adu)].take_more(now, issue.warp_join_interval);
    warp.hold = Hold::warp_sync;
    after(start + issue.warp_join_latency, Kind::release_hold, number, 0);
  }
  warp.waits_to_join = waits;
}

void ProcessingBlock::act(std::uint32_t number, const StaticInstruction& instruction, std::uint32_t line, Cycle now,
                          Cycle result) {
  Warp& warp = warps_[number];
  switch (instruction.action) {
    case Action::barrier:
      // Warps arrive one after the other, as the pipe takes them.
      arrive(number, instruction, Cycle{result.value - instruction.latency});
      break;
    case Action::membar:
      warp.hold = Hold::membar;
      warp.membar_line = line;
      warp.membar_at = now;
      if (!membar_waits(line))
        after(now + membar_cycles(line), Kind::release_hold, number, line);
      else if (warp.outstanding == 0)
        fences_.arrive(slot(number), now, membar_least(line), membar_cycles(line), now);
      break;
    case Action::warp_sync:
      warp.hold = Hold::warp_sync;
      sync_threads(number, count_in_trace(number), now);
      break;
    case Action::join:
      join_threads(number, line, now);
      break;
    case Action::sleep:
      warp.hold = Hold::sleep;
      after(Cycle{nap_ends(now.value, count_in_trace(number, instruction.sleep), instruction.clock_hz)},
            Kind::release_hold, number, line);
      break;
    case Action::forget:
      forgets_ = true;
      break;
    case Action::close_group:
    case Action::arrive_with_copies:
      close_group(number, instruction, line, now, result);
      break;
    case Action::wait_groups:
      warp.groups_line = line;
      if (groups_left(number)) warp.hold = Hold::groups;
      break;
    case Action::shared_barrier:
      use_barrier(number, instruction, line, result);
      break;
    case Action::none:
    case Action::memory:
    case Action::depbar:
      break;
  }
}

/// Threads that continue behind a YIELD come from their warp's pool, and choosing them takes `give_way_latency`. The
/// same holds for threads whose convergence barrier waited last for a thread that yielded. The side of a branch that
/// separated last continues at once.
bool ProcessingBlock::comes_from_pool(const InstructionBuffer::Entry* next, const StaticInstruction& before) const {
  if (next == nullptr || next->index == 0 || config_.issue.give_way_latency == 0) return false;
  const StaticInstruction& front = (*code_)[next->index - 1];
  return front.gives_way || (before.gives_way && front.fetch_after != 0);
}

/// The warp has issued its last instruction.
void ProcessingBlock::drain(std::uint32_t number, Cycle now) {
  Warp& warp = warps_[number];
  warp.hold = Hold::drain;
  if (!drained(warp)) return;
  warp.ending = true;
  after(now + 1, Kind::end_warp, number, 0);
}

void ProcessingBlock::advance_stream(std::uint32_t number, const StaticInstruction& instruction, Cycle now) {
  Warp& warp = warps_[number];
  InstructionBuffer& buffer = buffers_[number];
  if (buffer.live()) [[unlikely]]
    return follow_program(number, now);
  buffer.pop();
  if (buffer.finished()) return drain(number, now);
  warp.line = buffer.front().index;
  if (warp.redirected)
    resume_later(number, instruction, now);
  else
    want_fetch(number);
}

/// Fetch waits for an instruction that is not where the last one was.
void ProcessingBlock::resume_later(std::uint32_t number, const StaticInstruction& instruction, Cycle now) {
  const config::Issue& issue = config_.issue;
  const InstructionBuffer& buffer = buffers_[number];
  if (instruction.indirect)
    now = pipes_[static_cast<std::size_t>(Resource::adu)].take_more(now, issue.indirect_interval);
  const std::uint32_t latency = comes_from_pool(buffer.to_fetch(), instruction)       ? issue.give_way_latency
                                : instruction.gives_way                               ? issue.branch_latency
                                : instruction.fetch_after != 0                        ? instruction.fetch_after
                                : instruction.indirect && issue.indirect_latency != 0 ? issue.indirect_latency
                                                                                      : issue.branch_latency;
  if (buffer.fetched() == 0) after(now + std::max(1u, latency), Kind::resume_fetch, number, 0);
}

}  // namespace sassim::arch
