// SPDX-License-Identifier: Apache-2.0
// Executes control flow of 64-bit instructions (Kepler to Pascal): a warp has one set of active threads and a stack of
// threads that wait.
//
// SSY, PBK, PCNT, PRET and CAL push the active threads with the place where they meet again. A branch that some threads
// take pushes the threads that take it; the others run first (assumed). Threads at SYNC, BRK, CONT or RET wait in the
// innermost entry of that kind. When no thread is left, the topmost entry that has threads runs.
#include <algorithm>

#include "sim/emu/core/builtins.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/sass64.h"

namespace sassim::emu {
namespace {

/// The lanes for which the test of CC before the target holds.
std::uint32_t conditional(const Context& c, const MicroOp& op, std::uint32_t mask) {
  return op.mode == 0 ? mask : mask & cc_truth(c.warp.cc, static_cast<CcTest>(op.mode - 1));
}

void decode_condition(Decoder& d) {
  if (!d.next_is(isa::OperandKind::pred_file)) return;
  const isa::Operand& operand = d.next();
  if (!operand.text.starts_with("CC.") || operand.suffixes.size() != 1) throw Unsupported{"this condition"};
  d.op.mode = static_cast<std::uint8_t>(1 + take_cc_test(operand.suffixes.front()));
}

/// The topmost threads that wait become the active ones.
void resume(Context& c) {
  Warp& warp = c.warp;
  StackEntry next;
  do {
    next = warp.stack.back();
    warp.stack.pop_back();
  } while ((next.mask & warp.alive) == 0);
  c.fragment->mask = next.mask & warp.alive;
  c.fragment->pc = next.pc;
  c.outcome = Outcome::moved;
}

/// The threads wait in the innermost entry of the kind, which exists.
void leave_to(Context& c, std::size_t entry, std::uint32_t lanes) {
  std::vector<StackEntry>& stack = c.warp.stack;
  stack[entry].mask |= lanes;
  for (std::size_t i = entry + 1; i < stack.size(); ++i) stack[i].mask &= ~lanes;
  c.fragment->mask &= ~lanes;
  c.outcome = Outcome::moved;
  if (c.fragment->mask != 0)
    ++c.fragment->pc;
  else
    resume(c);
}

void exec_leave(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t lanes = conditional(c, op, mask);
  if (lanes == 0) return;
  const auto reason = static_cast<StackReason>(op.mode2);
  for (std::size_t i = c.warp.stack.size(); i-- > 0;)
    if (c.warp.stack[i].reason == reason) return leave_to(c, i, lanes);
  c.fault(FaultKind::illegal_instruction, op, first_lane(lanes), 0, "no thread of the warp has said where to meet");
}

void exec_and_sync(Context& c, const MicroOp& op, std::uint32_t mask) {
  op.inner(c, op, mask);
  if (c.outcome != Outcome::next)
    c.fault(FaultKind::illegal_instruction, op, first_lane(mask), 0, "it cannot end with .S");
  MicroOp sync;
  sync.mode2 = static_cast<std::uint8_t>(StackReason::sync);
  sync.index = op.index;
  exec_leave(c, sync, mask);
}

template <StackReason kReason>
void decode_leave(Decoder& d) {
  decode_condition(d);
  d.op.mode2 = static_cast<std::uint8_t>(kReason);
  d.op.execute = exec_leave;
}

void exec_push(Context& c, const MicroOp& op, std::uint32_t mask) {
  c.warp.stack.push_back({static_cast<StackReason>(op.mode2), mask, op.target});
}
template <StackReason kReason>
void decode_push(Decoder& d) {
  d.op.mode2 = static_cast<std::uint8_t>(kReason);
  d.op.target = d.branch_target();
  d.op.execute = exec_push;
}

/// The active threads in `lanes` go to `target`; the others continue and run first.
void split(Context& c, std::uint32_t lanes, std::uint32_t target) {
  if (lanes == 0) return;
  c.outcome = Outcome::moved;
  if (lanes == c.fragment->mask) {
    c.fragment->pc = target;
    return;
  }
  c.warp.stack.push_back({StackReason::diverged, lanes, target});
  c.fragment->mask &= ~lanes;
  ++c.fragment->pc;
}

void exec_branch(Context& c, const MicroOp& op, std::uint32_t mask) { split(c, conditional(c, op, mask), op.target); }
void decode_branch(Decoder& d) {
  d.ignore({"U", "LMT"});
  decode_condition(d);
  d.op.target = d.branch_target();
  d.op.execute = exec_branch;
}

/// BRX: each thread has its own target, a register plus a constant in bytes from the start of the kernel.
void exec_indirect(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes scratch;
  const std::uint32_t* offset = fetch_raw(c, op.src[0], scratch);
  while (mask != 0 && c.fragment->mask != 0) {
    const int first = first_lane(mask);
    std::uint32_t together = 0;
    for_lanes(mask, [&](int lane) { together |= offset[lane] == offset[first] ? 1u << lane : 0u; });
    mask &= ~together;
    if (static_cast<std::int32_t>(offset[first]) + op.relative == 0)
      c.fault(FaultKind::invalid_pc, op, first, 0, "call of a null function pointer (a GPU starts the kernel again)");
    const std::uint32_t target = code_index(c, op, first, static_cast<std::int32_t>(offset[first]) + op.relative);
    if (together == c.fragment->mask) {
      c.fragment->pc = target;
      c.outcome = Outcome::moved;
      return;
    }
    c.warp.stack.push_back({StackReason::diverged, together, target});
    c.fragment->mask &= ~together;
    c.outcome = Outcome::moved;
  }
  ++c.fragment->pc;
}
void decode_indirect(Decoder& d) {
  d.op.src[0] = d.source();
  if (d.left() > 0) d.op.relative = d.next().value;
  d.op.relative += d.instruction().pc + d.layout().instruction_bytes();
  d.op.execute = exec_indirect;
}

/// All active threads continue behind the call when those that make it have returned.
void exec_call(Context& c, const MicroOp& op, std::uint32_t mask) {
  c.warp.stack.push_back({StackReason::ret, c.fragment->mask, c.fragment->pc + 1});
  c.fragment->mask = mask;
  c.fragment->pc = op.target;
  c.outcome = Outcome::moved;
}
void decode_call(Decoder& d) {
  d.ignore({"NOINC"});
  d.op.target = d.branch_target();
  d.op.execute = exec_call;
}

/// JCAL: the target is an address, of a function of the driver or of code.
void exec_call_absolute(Context& c, const MicroOp& op, std::uint32_t mask) {
  const auto goal = static_cast<std::uint64_t>(op.relative);
  if (is_builtin(goal)) {
    for_lanes(mask, [&](int lane) { call_builtin(c, op, goal, lane); });
    return;
  }
  MicroOp call = op;
  call.target = code_index_at(c, op, first_lane(mask), goal);
  exec_call(c, call, mask);
}
void decode_call_absolute(Decoder& d) {
  d.ignore({"NOINC"});
  d.op.relative = d.next().value;
  d.op.execute = exec_call_absolute;
}

void exec_exit(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t lanes = conditional(c, op, mask);
  if (lanes == 0) return;
  const std::uint32_t left = c.warp.alive & ~lanes;
  const auto can_run = [left](const StackEntry& entry) { return (entry.mask & left) != 0; };
  if (lanes != c.fragment->mask || std::ranges::none_of(c.warp.stack, can_run)) return exit_lanes(c, lanes);
  ++c.grid.changes;
  c.warp.alive = left;
  resume(c);
  check_barriers(c.block);
}
void decode_exit(Decoder& d) {
  d.ignore({"KEEPREFCOUNT"});
  decode_condition(d);
  d.op.execute = exec_exit;
}

constexpr Semantics kRows[] = {
    sass64("SSY", decode_push<StackReason::sync>),
    sass64("SYNC", decode_leave<StackReason::sync>),
    sass64("PBK", decode_push<StackReason::brk>),
    sass64("BRK", decode_leave<StackReason::brk>),
    sass64("PCNT", decode_push<StackReason::cont>),
    sass64("CONT", decode_leave<StackReason::cont>),
    sass64("PRET", decode_push<StackReason::ret>),
    sass64("RET", decode_leave<StackReason::ret>),
    sass64("CAL", decode_call),
    sass64("JCAL", decode_call_absolute),
    sass64("BRA", decode_branch),
    sass64("BRX", decode_indirect),
    sass64("EXIT", decode_exit),
    sass64("KIL", decode_exit),
};

}  // namespace

void sync_behind(MicroOp& op) {
  op.inner = op.execute;
  op.execute = exec_and_sync;
}

std::span<const Semantics> sass64_control_semantics() { return kRows; }

}  // namespace sassim::emu
