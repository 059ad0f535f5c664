// SPDX-License-Identifier: Apache-2.0
// Issues one warp's instruction, or two, per cycle in a processing block, and sends it to its pipe or to a unit's
// queue.
#include "arch/sm/issue/issue_stage.h"

#include <algorithm>
#include <bit>

#include "arch/sm/warps/stages.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

/// cycle(), update() and issue() each contain what they call, and are apart from each other: in one function, the
/// compiler would keep hardly anything in registers.
[[gnu::flatten]] void IssueStage::cycle(Cycle now) {
  IssueSlots& slots = accounts_.slots();
  if (control_free_ > now) {
    ready_.count_held(to_.pipes, now);
    slots.count(now, slot_reason(now));
  } else if (const WarpMask candidates = ready_.eligible(to_.pipes, now); candidates != 0) {
    state_.view.refused = was_refused(candidates, now);
    issue(only(candidates) ? WarpIndex(std::countr_zero(candidates)) : state_.scheduler->pick(candidates, state_.view),
          now, false);
  } else {
    slots.count(now, slot_reason(now));
  }
}

[[gnu::noinline, gnu::flatten]] void IssueStage::update(WarpIndex warp_index, Cycle now) {
  ResidentWarp& warp = state_.warps[warp_index];
  Cycle until = kNever;
  const StallReason reason = why_not(warp_index, now, until);
  if (until != kNever) state_.agenda.ask_again(warp_index, until, now);
  const bool was_ready = warp.reason == StallReason::not_selected;
  if (reason == warp.reason && (!was_ready || ready_.has(warp_index, warp.resource))) return;
  accounts_.charge(warp, now);
  if (was_ready) ready_.remove(warp_index, warp.resource);
  warp.reason = reason;
  if (reason != StallReason::not_selected) return;
  warp.resource = state_.front(warp_index).resource;
  ready_.add(warp_index, warp.resource);
  accounts_.becomes_ready(warp, now);
}

void IssueStage::constant_missed(WarpIndex warp_index, Cycle now, bool second) {
  state_.warps[warp_index].hold = Hold::constant;
  control_free_ = now + state_.config.issue.constant_miss_switch;
  update(warp_index, now);
  if (!second) accounts_.slots().count(now, StallReason::imc_miss);
}

[[gnu::noinline, gnu::flatten]] void IssueStage::issue(WarpIndex warp_index, Cycle now, bool second) {
  ResidentWarp& warp = state_.warps[warp_index];
  const InstructionBuffer::Entry& entry = state_.buffers[warp_index].front();
  const CodeLine line = entry.index;
  const StaticInstruction& instruction = (*state_.code)[line];
  if (state_.buffers[warp_index].live() && !entry.executed) [[unlikely]]
    state_.buffers[warp_index].execute(now);
  if (!to_.operands.constant_here(state_, warp_index, instruction, now))
    return constant_missed(warp_index, now, second);

  accounts_.charge(warp, now);
  ready_.remove(warp_index, warp.resource);
  accounts_.issued(warp, instruction, entry, now, second);
  warp.stall_until = now + instruction.control.stall;
  warp.flow.reconverging = instruction.flow.fetch_after != 0 && !instruction.issue.gives_way;
  if (!second) control_free_ = now + std::max(1u, state_.config.issue.interval);
  if (instruction.issue.plain)
    compute(warp_index, instruction, line, now, second);
  else
    act(warp_index, instruction, line, now, second);
  advance_stream(warp_index, instruction, now);
  state_.view.issued(warp_index);
  last_yields_ = instruction.issue.yields;
  if (instruction.issue.pairs && !second && pairs_with_last(warp_index, line, now)) return issue(warp_index, now, true);
  if (warp.stall_until <= now + 1 || warp.hold != Hold::none || state_.buffers[warp_index].path_unknown())
    return update(warp_index, now + 1);
  warp.reason = StallReason::wait;  // what update() would find
  state_.agenda.ask_again(warp_index, warp.stall_until, now + 1);
}

/// Of a plain instruction.
void IssueStage::compute(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now, bool second) {
  const std::uint64_t hold = allocate(warp, instruction, now, second);
  const Cycle result = occupy(instruction, line, now, hold, instruction.interval, second) + instruction.latency;
  if (instruction.registers.write_banks != 0) to_.operands.registers.write(instruction.registers.write_banks, result);
  if (state_.observer != nullptr) [[unlikely]]
    state_.observer->issued(state_.name(warp), line, now, result);
}

void IssueStage::act(WarpIndex warp_index, const StaticInstruction& instruction, CodeLine line, Cycle now,
                     bool second) {
  ResidentWarp& warp = state_.warps[warp_index];
  to_.dependences.hold(warp_index, instruction, now);
  if (instruction.issue.reads_clock)
    clock_reads_.push_back({warp.block, warp.own.number_in_block, warp.own.clock_reads++, line, now + kControl});
  Cycle result = kNever;
  const bool leaves = instruction.action == Action::memory ||
                      (instruction.action == Action::barrier && uses_memory_queue(instruction.resource));
  if (leaves)
    send_to_memory(warp_index, instruction, line, now);
  else
    result = execute(warp_index, instruction, line, now, second);
  if (state_.observer != nullptr) state_.observer->issued(state_.name(warp_index), line, now, result);
  if (instruction.action == Action::invalidate) to_.memory.invalidate_lines();
  to_.sync.act(warp_index, instruction, line, now, result);
}

/// Takes the instruction through Allocate; returns by how many cycles it leaves late. Sets when Control is free for the
/// next instruction.
std::uint64_t IssueStage::allocate(WarpIndex warp, const StaticInstruction& instruction, Cycle now, bool second) {
  RegisterFile& registers = to_.operands.registers;
  if (!instruction.fixed) {
    registers.read_later(warp, instruction, now + kAllocate);
    return 0;
  }
  const Cycle enters = std::max(now + kAllocate, second ? last_allocate_ : last_allocate_ + 1);
  last_allocate_ = registers.allocate(warp, instruction, enters);
  control_free_ = std::max(control_free_, enters + registers.waited_for_queued() - 1);
  return last_allocate_.value - (now.value + kAllocate);
}

/// A 64-bit product passes dispatch twice. Until its second pass has left, no warp of the processing block issues, and
/// the stall counts of all warps stand still.
void IssueStage::hold_for_second_pass(std::uint32_t cycles, Cycle now) {
  control_free_ = control_free_ + cycles;
  for (ResidentWarp& warp : state_.warps)
    if (warp.stall_until > now + 1) warp.stall_until = warp.stall_until + cycles;
}

/// Occupies the pipe of the instruction, or the lanes beyond 32 where the first of a pair has taken the others.
Cycle IssueStage::occupy(const StaticInstruction& instruction, CodeLine line, Cycle now, std::uint64_t hold,
                         std::uint32_t interval, bool second) {
  if (second && instruction.resource == Resource::fma && (*state_.code)[CodeLine(line - 1)].resource == Resource::fma)
    return to_.pipes.occupy_second(now, hold);
  return to_.pipes.occupy(instruction.resource, now, hold, interval);
}

Cycle IssueStage::execute(WarpIndex warp_index, const StaticInstruction& instruction, CodeLine line, Cycle now,
                          bool second) {
  const std::uint64_t hold = allocate(warp_index, instruction, now, second);
  SyncUnit::Work work{instruction.interval, instruction.latency};
  if (SyncUnit::decides_work(instruction)) [[unlikely]]
    work = to_.sync.work(warp_index, instruction);
  const Cycle start = occupy(instruction, line, now, hold, work.interval, second);
  if (instruction.second_pass != 0) hold_for_second_pass(instruction.second_pass, now);
  const Cycle result = start + work.latency;
  if (instruction.fixed && instruction.registers.write_banks != 0)
    to_.operands.registers.write(instruction.registers.write_banks, result);
  if (instruction.action == Action::membar) return kNever;
  expect_result(warp_index, instruction, line, start, result);
  return result;
}

/// Schedules the events that let dependent instructions issue.
void IssueStage::expect_result(WarpIndex warp_index, const StaticInstruction& instruction, CodeLine line, Cycle start,
                               Cycle result) {
  Dependences& dependences = to_.dependences;
  const Cycle read = start + kAllocate + state_.config.register_file.read_window;
  if (instruction.result_later) [[unlikely]] {
    if (dependences.by_name()) dependences.expect(warp_index, line, kNever, true, true);
    if (dependences.by_name() || instruction.control.read_counter != isa::kNoCounter)
      state_.after(read, BlockEvent::Kind::read, warp_index, line);
    return;
  }
  if (dependences.by_name()) return dependences.expect(warp_index, line, result, false, false);
  if (instruction.control.write_counter != isa::kNoCounter)
    state_.after(result, BlockEvent::Kind::written, warp_index, line);
  if (instruction.control.read_counter != isa::kNoCounter)
    state_.after(std::min(read, result), BlockEvent::Kind::read, warp_index, line);
}

void IssueStage::send_to_memory(WarpIndex warp_index, const StaticInstruction& instruction, CodeLine line, Cycle now) {
  to_.operands.registers.read_later(warp_index, instruction, now + kAllocate);
  const std::uint32_t epoch = to_.sync.store_issued(warp_index, instruction);
  const std::uint32_t group = instruction.memory.copies ? to_.sync.copies().copy_issued(warp_index) : 0;
  if (to_.dependences.by_name()) to_.dependences.expect(warp_index, line, kNever, true, instruction.long_latency);
  to_.memory.send(warp_index, instruction, epoch, group, now);
}

void IssueStage::advance_stream(WarpIndex warp_index, const StaticInstruction& instruction, Cycle now) {
  ResidentWarp& warp = state_.warps[warp_index];
  InstructionBuffer& buffer = state_.buffers[warp_index];
  if (buffer.live()) [[unlikely]]
    return follow_program(warp_index, now);
  const LaneMask issued = buffer.front().active;
  buffer.pop();
  if (buffer.finished()) return drain(warp_index, now);
  warp.line = buffer.front().index;
  if (!warp.flow.redirected) return to_.fetch.want(warp_index);
  resume_later(warp_index, instruction, issued, now);
}

/// The warp has issued its last instruction.
void IssueStage::drain(WarpIndex warp_index, Cycle now) {
  ResidentWarp& warp = state_.warps[warp_index];
  warp.hold = Hold::drain;
  if (!warp.drained()) return;
  warp.ending = true;
  state_.after(now + 1, BlockEvent::Kind::end_warp, warp_index, 0);
}

/// The next instruction is not the one at which fetch continued.
void IssueStage::resume_later(WarpIndex warp_index, const StaticInstruction& instruction, LaneMask issued, Cycle now) {
  const InstructionBuffer& buffer = state_.buffers[warp_index];
  const bool from_pool = leaves_pool(state_.warps[warp_index], instruction, issued, buffer.front().active);
  if (instruction.flow.indirect) now = to_.pipes.occupy_adu(now, state_.config.issue.indirect.interval);
  const std::uint32_t latency = redirect_latency(buffer.to_fetch(), instruction, from_pool);
  if (buffer.fetched() == 0) state_.after(now + std::max(1u, latency), BlockEvent::Kind::resume_fetch, warp_index, 0);
}

}  // namespace sassim::arch
