// SPDX-License-Identifier: Apache-2.0
// The part of StaticCode that finds what an instruction does when it issues, apart from occupying a pipe: barriers,
// fences, copies, sleeps.
#include <algorithm>

#include "arch/sm/code/place_rows.h"
#include "sim/config/gpu_config.h"
#include "sim/config/groups/issue.h"
#include "sim/config/groups/memory_io.h"

namespace sassim::arch {

using isa::OpClass;

namespace {

void place_barrier(StaticInstruction& row, const isa::Instruction& instruction) {
  row.action = Action::barrier;
  row.barrier.waits = !instruction.has("ARV");
  std::vector<const isa::Operand*> numbers;
  for (const isa::Operand& operand : instruction.operands) {
    if (operand.kind == isa::OperandKind::imm) numbers.push_back(&operand);
    if (operand.kind == isa::OperandKind::reg && operand.index != isa::kRZ) row.barrier.in_trace = true;
  }
  if (!numbers.empty()) row.barrier.number = static_cast<std::uint8_t>(numbers[0]->value & 15);
  if (numbers.size() > 1) row.barrier.threads = static_cast<std::uint16_t>(numbers[1]->value);
}

SharedBarrierOp barrier_op(const isa::Instruction& instruction) {
  if (instruction.has("EXCH")) return SharedBarrierOp::init;
  if (instruction.has("PHASECHK")) return SharedBarrierOp::check;
  if (instruction.has("CCTL")) return SharedBarrierOp::invalidate;
  if (instruction.has("TRANSCNT")) return SharedBarrierOp::end_transaction;
  if (instruction.has("A0T1")) return SharedBarrierOp::begin_transaction;
  if (instruction.has("A0TR")) return SharedBarrierOp::expect_bytes;
  if (instruction.has("A0TX")) return SharedBarrierOp::complete_bytes;
  if (instruction.has("ARRIVE") && !instruction.has("A1T0") && !instruction.has("ART0"))
    return SharedBarrierOp::arrive_and_expect;
  return instruction.has("OPTOUT") ? SharedBarrierOp::leave : SharedBarrierOp::arrive;
}

void place_async(StaticInstruction& row, const isa::Instruction& instruction) {
  row.memory.copies = instruction.opcode == "LDGSTS";
  if (instruction.opcode == "LDGDEPBAR") {
    row.action = Action::close_group;
    row.result_later = row.long_latency = true;
  } else if (instruction.opcode == "UBLKCP") {
    row.action = Action::bulk_copy;
    row.resource = Resource::adu;
    row.interval = 1;
    row.long_latency = true;
  } else if (instruction.opcode == "ARRIVES" && instruction.has("LDGSTSBAR")) {
    row.action = Action::arrive_with_copies;
    row.long_latency = true;
    row.shared_barrier.op = barrier_op(instruction);
  } else if (instruction.opcode == "SYNCS") {
    row.action = Action::shared_barrier;
    row.long_latency = true;
    row.shared_barrier.op = barrier_op(instruction);
    row.result_later = row.shared_barrier.op == SharedBarrierOp::check;
    row.shared_barrier.tries = instruction.has("TRYWAIT");
  }
}

void place_warp_sync(StaticInstruction& row, const isa::Instruction& instruction, const config::Issue& issue) {
  if (issue.warp_join.latency != 0 && instruction.has("ALL")) row.action = Action::join;
  for (const isa::Operand& operand : instruction.operands)
    if (operand.kind == isa::OperandKind::reg && issue.warp_sync.latency != 0) row.action = Action::warp_sync;
}

}  // namespace

void place_action(StaticInstruction& row, const isa::Instruction& instruction, const isa::Decoded& d,
                  const config::GpuConfig& config) {
  if (d.op == OpClass::barrier) place_barrier(row, instruction);
  if (d.op == OpClass::membar && instruction.opcode == "MEMBAR") {
    row.action = Action::membar;
    row.scope = instruction.has("SYS")                            ? Scope::sys
                : instruction.has("GPU") || instruction.has("GL") ? Scope::gpu
                                                                  : Scope::cta;
  }
  if (instruction.opcode == "CCTL" && instruction.has("IVALL")) row.action = Action::invalidate;
  if (d.op == OpClass::depbar) {
    row.action = Action::depbar;
    for (const isa::Operand& operand : instruction.operands) {
      if (operand.kind == isa::OperandKind::scoreboard) row.depbar.counter = operand.index;
      if (operand.kind == isa::OperandKind::imm) row.depbar.limit = static_cast<std::uint8_t>(operand.value);
      if (operand.kind == isa::OperandKind::counters) row.depbar.mask = static_cast<std::uint8_t>(operand.value);
    }
  }
  if (d.op == OpClass::async_copy || d.op == OpClass::async_wait) place_async(row, instruction);
  row.values.each = d.op == OpClass::match && instruction.has("ANY");
  row.values.wide = instruction.has("U64");
  if (instruction.opcode == "BSYNC") row.flow.fetch_after = config.sm.issue.sync_latency;
  row.issue.gives_way = instruction.opcode == "YIELD";
  if (row.issue.gives_way) row.flow.fetch_after = config.sm.issue.give_way_latency;
  if (instruction.opcode == "WARPSYNC") place_warp_sync(row, instruction, config.sm.issue);
  if (instruction.opcode == "NANOSLEEP") {
    row.action = Action::sleep;
    row.sleep.clock_hz = config.clock.sm;
    for (const isa::Operand& operand : instruction.operands)
      if (operand.kind == isa::OperandKind::imm) row.sleep.nanoseconds = static_cast<std::uint32_t>(operand.value);
  }
}

void place_group_waits(std::vector<StaticInstruction>& rows, bool scoreboard) {
  std::uint32_t held = 0;
  for (const StaticInstruction& row : rows)
    if (row.action == Action::close_group) held |= scoreboard ? ~0u : 1u << row.control.write_counter;
  for (StaticInstruction& row : rows)
    if (row.action == Action::depbar && (held >> row.depbar.counter & 1) != 0) row.action = Action::wait_groups;
}

}  // namespace sassim::arch
