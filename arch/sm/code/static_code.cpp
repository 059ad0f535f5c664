// SPDX-License-Identifier: Apache-2.0
// Computes the row of each PC of a kernel: stall count, queue, latency, and what the instruction does at issue.
#include "arch/sm/code/static_code.h"

#include <algorithm>

#include "arch/sm/code/place_rows.h"
#include "arch/sm/common/unit_traits.h"
#include "sim/base/error.h"
#include "sim/config/gpu_config.h"
#include "sim/config/groups/issue.h"
#include "sim/isa/architecture.h"
#include "sim/isa/code_rules.h"
#include "sim/isa/eviction.h"

namespace sassim::arch {

namespace {

using isa::OpClass;

/// The cycles that the hardware waits; for some stall counts they differ from the count (sm.issue.stall_quirks).
std::uint8_t effective_stall(const isa::ControlBits& control, const config::Issue& issue) {
  if (issue.stall_quirks.yield_zero != 0 && control.stall == 0 && control.yield)
    return static_cast<std::uint8_t>(issue.stall_quirks.yield_zero);
  if (issue.stall_quirks.beyond != 0 && control.stall > issue.stall_quirks.longest && !control.yield)
    return static_cast<std::uint8_t>(issue.stall_quirks.beyond);
  return std::max(control.stall, static_cast<std::uint8_t>(control.yield ? issue.yield_interval : 1));
}

/// Conditional backward branches are mostly taken, conditional forward branches mostly not.
bool mostly_leaves(const isa::Instruction& instruction, isa::ControlFlow flow) {
  if (flow == isa::ControlFlow::none || flow == isa::ControlFlow::sync) return false;
  bool conditional = !instruction.guard.always(), backward = false;
  for (const isa::Operand& operand : instruction.operands) {
    if (operand.kind == isa::OperandKind::pred || operand.kind == isa::OperandKind::upred)
      conditional = conditional || operand.index != isa::kPT || operand.invert;
    if (operand.kind == isa::OperandKind::label) backward = operand.value <= instruction.pc;
  }
  return !conditional || backward;
}

bool takes_uniform_address(const isa::Instruction& instruction) {
  for (const isa::Operand& operand : instruction.operands) {
    if (operand.kind == isa::OperandKind::memory || operand.kind == isa::OperandKind::constant)
      return !operand.base || *operand.base == isa::kRZ;
  }
  return false;
}

/// The size of bank 0, which a launch writes: dimensions, then up to 4 KiB of parameters, where they start latest.
const std::uint64_t kLaunchBank = [] {
  std::uint64_t parameters = 0;
  for (const isa::Architecture& row : isa::architectures())
    parameters = std::max<std::uint64_t>(parameters, row.bank.parameters);
  return parameters + 4096;
}();
constexpr std::uint64_t kWidest = 16;  ///< most bytes that one operand reads

std::uint64_t end_in_launch_bank(const isa::Instruction& instruction) {
  std::uint64_t end = 0;
  for (const isa::Operand& operand : instruction.operands) {
    if (operand.kind != isa::OperandKind::constant || (operand.bank != 0 && !operand.ur_bank)) continue;
    const bool indexed = (operand.base && *operand.base != isa::kRZ) || operand.ubase || operand.ur_bank;
    end = std::max(end, indexed ? kLaunchBank : static_cast<std::uint64_t>(operand.offset) + kWidest);
  }
  return std::min(end, kLaunchBank);
}

bool needs_scoreboard(const trace::KernelInfo& kernel, const config::GpuConfig& config) {
  return !kernel.has_encodings || !isa::code_rules(isa::architecture(kernel.sm)).counters ||
         config.sm.issue.dependence == "scoreboard";
}

/// For sm.issue.instant.
void make_instant(StaticInstruction& row, const isa::Decoded& d) {
  row.control.stall = 1;
  if (!is_memory(d.op)) row.latency = 1;
}

/// The loads among which an instruction of a warp returns in order, on hardware whose code relies on it: the compiler
/// gives a counter to the last of several loads alone.
Order order_of(const isa::Decoded& d, isa::InstructionSet set) {
  if (set != isa::InstructionSet::sass64 || !is_memory(d.op) || d.writes.empty()) return Order::none;
  const bool in_sm = d.op == isa::OpClass::load_shared || d.op == isa::OpClass::atomic_shared;
  return in_sm ? Order::shared : d.op == isa::OpClass::load_const ? Order::none : Order::beyond;
}

/// Most arithmetic, and branches: of the many things that may happen at an issue, nothing does.
bool is_plain(const StaticInstruction& row) {
  return row.fixed && row.action == Action::none && !row.issue.reads_clock && row.second_pass == 0 &&
         !row.result_later && !row.values.each && row.control.write_counter == isa::kNoCounter &&
         row.control.read_counter == isa::kNoCounter;
}

/// Arithmetic and branches: nothing outside the warp sees how often they are executed.
bool only_computes(const StaticInstruction& row, const isa::Decoded& d) {
  return row.action == Action::none && !uses_memory_queue(row.resource) && d.flow != isa::ControlFlow::exit;
}

}  // namespace

StaticCode::StaticCode(const trace::KernelInfo& kernel, const config::GpuConfig& config)
    : layout_(kernel.layout()), scoreboard_(needs_scoreboard(kernel, config)) {
  append(kernel, config);
}

void StaticCode::append(const trace::KernelInfo& kernel, const config::GpuConfig& config) {
  if (needs_scoreboard(kernel, config) != scoreboard_)
    throw NotSupported("kernel '{}' cannot run beside '{}': one has control bits, the other has none", kernel.name,
                       launches_.front().kernel->name);
  Launch& launch = launches_.emplace_back(Launch{&kernel, CodeLine(rows_.size())});
  std::vector<StaticInstruction> rows;
  rows.reserve(kernel.code.size());
  std::vector<isa::Decoded> decoded;
  const isa::Architecture& target = isa::architecture(kernel.sm);
  for (const isa::Instruction& instruction : kernel.code) decoded.push_back(isa::decode(instruction, kernel.sm));
  isa::mark_evictions(kernel.code, decoded);
  for (const isa::Instruction& instruction : kernel.code) {
    decoded_.push_back(std::move(decoded[rows.size()]));
    launch.bank_bytes = std::max(launch.bank_bytes, end_in_launch_bank(instruction));
    const isa::Decoded& d = decoded_.back();
    StaticInstruction row;
    if (is_memory(d.op))
      place_unit(row, d, config.sm);
    else
      place_pipe(row, d, config.sm);
    row.flow.branches = d.flow == isa::ControlFlow::branch || d.flow == isa::ControlFlow::indirect;
    row.flow.indirect = d.flow == isa::ControlFlow::indirect || d.flow == isa::ControlFlow::ret ||
                        (d.flow == isa::ControlFlow::call && !d.reads.empty() && config.sm.issue.indirect.latency != 0);
    row.flow.leaves = mostly_leaves(instruction, d.flow);
    row.issue.never = instruction.guard.never();
    row.issue.reads_clock = d.reads_clock;
    row.memory.uniform_address = takes_uniform_address(instruction);
    // Code of 64-bit instruction sets has a DEPBAR one cycle behind the last of the loads that it counts.
    row.depbar.late = target.set == isa::InstructionSet::sass64;
    if (!scoreboard_) row.memory.order = order_of(d, target.set);
    place_registers(row, d, config.sm.register_file);
    row.registers.aside = d.op == OpClass::load_shared || row.resource == Resource::tensor;
    place_action(row, instruction, d, config);
    if (scoreboard_) {
      uses_.push_back(registers_used(d));
      place_forwarding(uses_.back(), row, instruction.guard, config.sm.pipes);
      row.registers.keep_none();
      if (kernel.has_encodings && !isa::code_rules(target).counters)
        row.control.stall = effective_stall(instruction.control, config.sm.issue);
    } else {
      row.control.stall = effective_stall(instruction.control, config.sm.issue);
      row.issue.yields = instruction.control.yield;
      row.control.write_counter = instruction.control.write_counter;
      row.control.read_counter = instruction.control.read_counter;
      row.control.wait_mask = instruction.control.wait_mask;
    }
    if (config.sm.issue.instant) make_instant(row, d);
    rows.push_back(row);
    if (config.sm.issue.full_warps) leave_out_.push_back(only_computes(row, d));
  }
  place_group_waits(rows, scoreboard_);
  for (StaticInstruction& row : rows) row.issue.plain = !scoreboard_ && is_plain(row);
  if (config.sm.issue.pairs && kernel.has_encodings) place_pairs(rows, kernel, config.sm);
  rows_.insert(rows_.end(), rows.begin(), rows.end());
}

}  // namespace sassim::arch
