// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/fetch/static_code.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sim/base/error.h"

namespace sassim::arch {

namespace {

using isa::OpClass;

Resource pipe_resource(const std::string& name, OpClass op) {
  static constexpr std::array<std::pair<std::string_view, Resource>, 12> kPipes{{{"fma", Resource::fma},
                                                                                 {"alu", Resource::alu},
                                                                                 {"fp16", Resource::fp16},
                                                                                 {"fp64", Resource::fp64},
                                                                                 {"xu", Resource::xu},
                                                                                 {"tensor", Resource::tensor},
                                                                                 {"uniform", Resource::uniform},
                                                                                 {"branch", Resource::branch},
                                                                                 {"mio", Resource::mio},
                                                                                 {"adu", Resource::adu},
                                                                                 {"memory", Resource::shared},
                                                                                 {"none", Resource::none}}};
  for (const auto& [key, resource] : kPipes)
    if (key == name) return resource;
  throw InputError("sm.pipes.ops.{}.pipe: unknown pipe '{}'", isa::op_class_name(op), name);
}

const config::PipeConfig* pipe_config(const config::Pipes& pipes, Resource resource) {
  switch (resource) {
    case Resource::fma:
      return &pipes.fma;
    case Resource::alu:
      return &pipes.alu;
    case Resource::fp16:
      return &pipes.fp16;
    case Resource::fp64:
      return &pipes.fp64;
    case Resource::xu:
      return &pipes.xu;
    case Resource::tensor:
      return &pipes.tensor;
    case Resource::uniform:
      return &pipes.uniform;
    case Resource::branch:
      return &pipes.branch;
    case Resource::mio:
      return &pipes.mio;
    case Resource::adu:
      return &pipes.adu;
    default:
      return nullptr;
  }
}

bool is_memory(OpClass op) {
  switch (op) {
    case OpClass::load_const:
    case OpClass::load:
    case OpClass::store:
    case OpClass::load_shared:
    case OpClass::store_shared:
    case OpClass::atomic:
    case OpClass::reduction:
    case OpClass::atomic_shared:
    case OpClass::async_copy:
    case OpClass::texture:
      return true;
    default:
      return false;
  }
}

/// HU25: stall 0 with yield blocks 45 cycles; above 11 without yield it hardly counts.
std::uint8_t effective_stall(const isa::ControlBits& control, const config::Issue& issue) {
  if (issue.stall_quirks && control.stall == 0 && control.yield) return 45;
  if (issue.stall_quirks && control.stall > 11 && !control.yield) return 2;
  return std::max(control.stall, static_cast<std::uint8_t>(control.yield ? issue.yield_interval : 1));
}

void place_memory(StaticInstruction& row, const isa::Decoded& d) {
  row.action = Action::memory;
  row.fixed = false;
  const bool in_shared = d.op == OpClass::load_shared || d.op == OpClass::store_shared ||
                         d.op == OpClass::atomic_shared || d.op == OpClass::load_const;
  row.resource = d.op == OpClass::texture ? Resource::texture : in_shared ? Resource::shared : Resource::local_global;
  row.long_latency = !in_shared;
  row.waits_for_memory = d.op == OpClass::store || d.op == OpClass::reduction;
}

void place_tensor(StaticInstruction& row, const isa::Decoded& d, const config::Tensor& tensor) {
  const bool group = d.op == OpClass::gmma;  // four warps share the work
  const std::uint64_t work = std::uint64_t{d.tensor_m} * d.tensor_n * d.tensor_k / (group ? 4 : 1);
  if (work == 0) return;
  // The multipliers are 16 bits wide: an 8-bit element takes half a slot, a 4-bit one a quarter, a 64-bit one sixteen.
  const std::uint64_t bits = std::max<std::uint64_t>(d.tensor_element_bits, 1);
  const std::uint64_t scaled = bits >= 64 ? work * 16 : work * bits / 16;
  const std::uint32_t rate =
      group && tensor.gmma_fma_per_cycle != 0 ? tensor.gmma_fma_per_cycle : std::max(1u, tensor.fma_per_cycle);
  row.interval = static_cast<std::uint16_t>(std::max<std::uint64_t>(1, scaled / rate));
  const bool whole = d.tensor_k * bits == 512;  // a row of B that fills four registers
  if (d.tensor_sparse && whole && tensor.interval_sparse != 0)
    row.interval = static_cast<std::uint16_t>(tensor.interval_sparse);
  if (d.op != OpClass::hmma) return;
  if (d.tensor_m == 16 && d.tensor_k == 8 && bits == 16 && tensor.interval_1688 != 0)
    row.interval = static_cast<std::uint16_t>(tensor.interval_1688);
  const std::uint32_t base = d.tensor_k <= 4   ? tensor.latency_884
                             : d.tensor_k <= 8 ? tensor.latency_1688
                                               : tensor.latency_16816;
  row.latency = static_cast<std::uint16_t>(base + (d.tensor_accumulates_f32 ? tensor.latency_f32 : 0));
}

void place_pipe(StaticInstruction& row, const isa::Decoded& d, const config::Pipes& pipes) {
  const config::OpConfig& op = pipes.ops[static_cast<std::size_t>(d.op)];
  row.resource = pipe_resource(op.pipe, d.op);
  row.fixed = d.latency == isa::Latency::fixed;
  if (row.resource == Resource::shared) {  // through the memory queue, as a load from shared memory
    if (d.op != OpClass::shuffle)
      throw InputError("sm.pipes.ops.{}.pipe: only shuffles can go to memory", isa::op_class_name(d.op));
    row.action = Action::memory;
  }
  row.latency = static_cast<std::uint16_t>(std::max(1u, op.latency));
  const config::PipeConfig* pipe = pipe_config(pipes, row.resource);
  row.interval = static_cast<std::uint16_t>(op.interval != 0                      ? op.interval
                                            : pipe != nullptr && pipe->lanes != 0 ? std::max(1u, 32u / pipe->lanes)
                                                                                  : 1u);
  for (const isa::RegisterUse& use : d.writes)
    if (use.count == 2) row.interval = static_cast<std::uint16_t>(row.interval + op.pair_result);
  if (d.op == OpClass::hmma || d.op == OpClass::imma || d.op == OpClass::dmma || d.op == OpClass::gmma)
    place_tensor(row, d, pipes.mma);
}

void place_registers(StaticInstruction& row, const isa::Decoded& d, const config::RegisterFile& file) {
  for (const isa::RegisterUse& use : d.reads) {
    if (use.uniform) continue;
    for (unsigned i = 0; i < use.count && row.read_count < row.reads.size(); ++i) {
      const auto reg = static_cast<std::uint8_t>(use.first + i);
      row.reads[row.read_count++] = {reg, static_cast<std::uint8_t>(reg % file.banks), use.slot, use.reuse};
    }
  }
  for (const isa::RegisterUse& use : d.writes)
    if (!use.uniform)
      for (unsigned i = 0; i < use.count; ++i)
        row.write_banks |= static_cast<std::uint8_t>(1u << (use.first + i) % file.banks);
  if (!d.constants.empty()) {
    row.has_constant = true;
    row.checks_constant = row.fixed && !d.constants.front().indexed;
    row.indexes_constant = row.fixed && d.constants.front().indexed;
    row.constant_address = {d.constants.front().bank, static_cast<std::uint16_t>(d.constants.front().offset)};
  }
}

void place_barrier(StaticInstruction& row, const isa::Instruction& instruction) {
  row.action = Action::barrier;
  row.barrier_waits = !instruction.has("ARV");
  std::vector<const isa::Operand*> numbers;
  for (const isa::Operand& operand : instruction.operands) {
    if (operand.kind == isa::OperandKind::imm) numbers.push_back(&operand);
    if (operand.kind == isa::OperandKind::reg && operand.index != isa::kRZ) row.barrier_in_trace = true;
  }
  if (!numbers.empty()) row.barrier = static_cast<std::uint8_t>(numbers[0]->value & 15);
  if (numbers.size() > 1) row.barrier_threads = static_cast<std::uint16_t>(numbers[1]->value);
}

SharedBarrierOp barrier_op(const isa::Instruction& instruction) {
  if (instruction.has("EXCH")) return SharedBarrierOp::init;
  if (instruction.has("PHASECHK")) return SharedBarrierOp::check;
  if (instruction.has("CCTL")) return SharedBarrierOp::forget;
  if (instruction.has("TRANSCNT")) return SharedBarrierOp::end_transaction;
  if (instruction.has("A0T1")) return SharedBarrierOp::begin_transaction;
  return instruction.has("OPTOUT") ? SharedBarrierOp::leave : SharedBarrierOp::arrive;
}

void place_async(StaticInstruction& row, const isa::Instruction& instruction, const config::MemoryIo& io) {
  row.copies = instruction.opcode == "LDGSTS";
  if (instruction.opcode == "LDGDEPBAR") {
    row.action = Action::close_group;
    row.result_later = row.long_latency = true;
    row.latency = static_cast<std::uint16_t>(std::max(1u, io.async_group_latency));
  } else if (instruction.opcode == "ARRIVES" && instruction.has("LDGSTSBAR")) {
    row.action = Action::arrive_with_copies;
    row.long_latency = true;
    row.barrier_op = barrier_op(instruction);
  } else if (instruction.opcode == "SYNCS") {
    row.action = Action::shared_barrier;
    row.long_latency = true;
    row.barrier_op = barrier_op(instruction);
    row.result_later = row.barrier_op == SharedBarrierOp::check;
  }
}

void place_warp_sync(StaticInstruction& row, const isa::Instruction& instruction, const config::Issue& issue) {
  if (issue.warp_join_latency != 0 && instruction.has("ALL")) row.action = Action::join;
  for (const isa::Operand& operand : instruction.operands)
    if (operand.kind == isa::OperandKind::reg && issue.warp_sync_latency != 0) row.action = Action::warp_sync;
}

void place_special(StaticInstruction& row, const isa::Instruction& instruction, const isa::Decoded& d,
                   const config::GpuConfig& config) {
  if (d.op == OpClass::barrier) place_barrier(row, instruction);
  if (d.op == OpClass::membar && instruction.opcode == "MEMBAR") {
    row.action = Action::membar;
    row.scope = instruction.has("SYS")                            ? Scope::sys
                : instruction.has("GPU") || instruction.has("GL") ? Scope::gpu
                                                                  : Scope::cta;
  }
  if (instruction.opcode == "CCTL" && instruction.has("IVALL")) row.action = Action::forget;
  if (d.op == OpClass::depbar) {
    row.action = Action::depbar;
    for (const isa::Operand& operand : instruction.operands) {
      if (operand.kind == isa::OperandKind::scoreboard) row.depbar_counter = operand.index;
      if (operand.kind == isa::OperandKind::imm) row.depbar_limit = static_cast<std::uint8_t>(operand.value);
      if (operand.kind == isa::OperandKind::counters) row.depbar_mask = static_cast<std::uint8_t>(operand.value);
    }
  }
  if (d.op == OpClass::async_copy || d.op == OpClass::async_wait) place_async(row, instruction, config.sm.memory_io);
  row.by_values = d.op == OpClass::match && instruction.has("ANY");
  row.wide_values = instruction.has("U64");
  if (instruction.opcode == "BSYNC") row.fetch_after = config.sm.issue.sync_latency;
  row.gives_way = instruction.opcode == "YIELD";
  if (row.gives_way) row.fetch_after = config.sm.issue.give_way_latency;
  if (instruction.opcode == "WARPSYNC") place_warp_sync(row, instruction, config.sm.issue);
  if (instruction.opcode == "NANOSLEEP") {
    row.action = Action::sleep;
    row.clock_hz = config.clock.sm;
    for (const isa::Operand& operand : instruction.operands)
      if (operand.kind == isa::OperandKind::imm) row.sleep = static_cast<std::uint32_t>(operand.value);
  }
}

/// Branches backward are mostly taken, those forward mostly not, if they may be either.
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

ScoreboardUse registers_used(const isa::Decoded& d) {
  ScoreboardUse use;
  auto add = [](std::vector<std::uint16_t>& names, const std::vector<isa::RegisterUse>& registers) {
    for (const isa::RegisterUse& r : registers)
      for (unsigned i = 0; i < r.count; ++i)
        names.push_back(static_cast<std::uint16_t>((r.uniform ? 264 : 0) + r.first + i));
  };
  auto add_mask = [](std::vector<std::uint16_t>& names, std::uint8_t mask, std::uint16_t base) {
    for (std::uint16_t i = 0; i < 8; ++i)
      if (mask >> i & 1) names.push_back(static_cast<std::uint16_t>(base + i));
  };
  add(use.reads, d.reads);
  add(use.writes, d.writes);
  add_mask(use.reads, d.pred_reads, 256);
  add_mask(use.writes, d.pred_writes, 256);
  add_mask(use.reads, d.upred_reads, 328);
  add_mask(use.writes, d.upred_writes, 328);
  return use;
}

/// What a launch writes to bank 0: dimensions, then up to 4 KiB of parameters.
constexpr std::uint64_t kLaunchBank = 0x210 + 4096;
constexpr std::uint64_t kWidest = 16;  ///< bytes that one operand reads

std::uint64_t end_in_launch_bank(const isa::Instruction& instruction) {
  std::uint64_t end = 0;
  for (const isa::Operand& operand : instruction.operands) {
    if (operand.kind != isa::OperandKind::constant || (operand.bank != 0 && !operand.ur_bank)) continue;
    const bool indexed = (operand.base && *operand.base != isa::kRZ) || operand.ubase || operand.ur_bank;
    end = std::max(end, indexed ? kLaunchBank : static_cast<std::uint64_t>(operand.offset) + kWidest);
  }
  return std::min(end, kLaunchBank);
}

/// A DEPBAR.LE right behind an LDGDEPBAR sees the counter too, so the instruction behind it waits.
void place_group_waits(std::vector<StaticInstruction>& rows, bool scoreboard) {
  std::uint32_t held = 0;
  for (const StaticInstruction& row : rows)
    if (row.action == Action::close_group) held |= scoreboard ? ~0u : 1u << row.write_counter;
  for (StaticInstruction& row : rows)
    if (row.action == Action::depbar && (held >> row.depbar_counter & 1) != 0) row.action = Action::wait_groups;
}

}  // namespace

StaticCode::StaticCode(const trace::KernelInfo& kernel, const config::GpuConfig& config)
    : kernel_(&kernel), scoreboard_(!kernel.has_encodings || config.sm.issue.dependence == "scoreboard") {
  rows_.reserve(kernel.code.size());
  decoded_.reserve(kernel.code.size());
  for (const isa::Instruction& instruction : kernel.code) {
    decoded_.push_back(isa::decode(instruction, kernel.sm));
    launch_bank_bytes_ = std::max(launch_bank_bytes_, end_in_launch_bank(instruction));
    const isa::Decoded& d = decoded_.back();
    StaticInstruction row;
    if (is_memory(d.op))
      place_memory(row, d);
    else
      place_pipe(row, d, config.sm.pipes);
    row.branches = d.flow == isa::ControlFlow::branch || d.flow == isa::ControlFlow::indirect;
    row.indirect = d.flow == isa::ControlFlow::indirect || d.flow == isa::ControlFlow::ret;
    row.leaves = mostly_leaves(instruction, d.flow);
    row.reads_clock = d.reads_clock;
    row.uniform_address = takes_uniform_address(instruction);
    place_registers(row, d, config.sm.register_file);
    row.reads_aside = d.op == OpClass::load_shared || row.resource == Resource::tensor;
    place_special(row, instruction, d, config);
    if (scoreboard_) {
      uses_.push_back(registers_used(d));
      for (unsigned i = 0; i < row.read_count; ++i) row.reads[i].reuse = false;
    } else {
      row.stall = effective_stall(instruction.control, config.sm.issue);
      row.yields = instruction.control.yield;
      row.write_counter = instruction.control.write_counter;
      row.read_counter = instruction.control.read_counter;
      row.wait_mask = instruction.control.wait_mask;
    }
    rows_.push_back(row);
  }
  place_group_waits(rows_, scoreboard_);
}

}  // namespace sassim::arch
