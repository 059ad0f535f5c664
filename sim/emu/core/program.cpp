// SPDX-License-Identifier: Apache-2.0
// Translates a kernel's instructions into micro-operations, and judges from the code whether the order of warps or
// blocks matters.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/base/error.h"
#include "sim/emu/core/launch_values.h"
#include "sim/emu/core/machine.h"
#include "sim/emu/core/semantics.h"
#include "sim/isa/code_rules.h"

namespace sassim::emu {
namespace {

/// The micro-op of an unsupported instruction: it is an error only if it executes.
void execute_unsupported(Context& context, const MicroOp& op, std::uint32_t) {
  const Kernel& kernel = *context.grid.kernel;
  throw NotSupported("{}: {}; docs/opcodes.md lists what the emulator executes", place(kernel, op.index),
                     context.grid.program->unsupported[op.index]);
}

void decode_one(const isa::Instruction& instruction, int sm, MicroOp& op) {
  const Semantics* semantics = find_semantics(instruction.opcode, isa::architecture(sm).set);
  if (!semantics) throw Unsupported{"the opcode is not supported"};
  Decoder decoder(instruction, sm, op);
  semantics->decode(decoder);
  const bool syncs = isa::syncs_behind(instruction, sm);
  if (syncs) decoder.take("S");
  decoder.finish();
  // An instruction must not lose what it says of CC.
  const bool codes = std::ranges::any_of(instruction.operands, [](const isa::Operand& operand) {
    return operand.kind == isa::OperandKind::reg && operand.has("CC");
  });
  if (codes && !op.sets_codes) throw Unsupported{"does not set CC in this form"};
  if (!op.execute) throw Unsupported{"this form is not supported"};
  if (syncs) sync_behind(op);
}

/// Atomic operations in global memory whose result tells who came first.
bool takes_ticket(const MicroOp& op) { return op.stores && (op.dst != isa::kRZ || op.contends); }

/// Blocks cannot see each other's writes if the kernel loads nothing that the launch may write.
bool may_share(const Program& program) {
  const auto any = [&](bool MicroOp::*what) {
    return std::any_of(program.ops.begin(), program.ops.end(), [what](const MicroOp& op) { return op.*what; });
  };
  return any(&MicroOp::loads) && any(&MicroOp::stores);
}

/// Has an operand in the eight bytes at `place` of bank 0.
bool reads_bank0(const isa::Instruction& instruction, std::uint32_t place) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), [&](const isa::Operand& operand) {
    return operand.kind == isa::OperandKind::constant && operand.bank == 0 && !operand.ur_bank &&
           operand.offset >= place && operand.offset < place + 8;
  });
}

void count_registers(const isa::Instruction& instruction, std::uint32_t& rows) {
  // Registers of the widest operand: 256 columns of a warp group's product have 128 for each thread.
  const std::uint32_t widest = instruction.opcode.ends_with("GMMA") ? 128 : 8;
  const auto use = [&](std::uint8_t index) {
    if (index != isa::kRZ) rows = std::max(rows, std::min(255u, index + widest));
  };
  for (const isa::Operand& operand : instruction.operands) {
    if (operand.kind == isa::OperandKind::reg) use(operand.index);
    if (operand.base) use(*operand.base);
  }
}

}  // namespace

std::vector<std::span<const Semantics>> all_semantics() {
  return {integer_semantics(),
          extreme_semantics(),
          shift_semantics(),
          predicate_semantics(),
          fp32_semantics(),
          fp64_semantics(),
          fp16_semantics(),
          convert_semantics(),
          mufu_semantics(),
          memory_semantics(),
          matrix_memory_semantics(),
          atomic_semantics(),
          warp_semantics(),
          special_semantics(),
          control_semantics(),
          uniform_semantics(),
          tensor_semantics(),
          shared_barrier_semantics(),
          bulk_copy_semantics(),
          texture_semantics(),
          sass64_surface_semantics(),
          sass64_integer_semantics(),
          sass64_multiply_semantics(),
          sass64_bits_semantics(),
          sass64_logic_semantics(),
          sass64_control_semantics(),
          sass64_other_semantics(),
          warp_group_semantics(),
          tensor_copy_semantics(),
          bulk_store_semantics()};
}

const Semantics* find_semantics(std::string_view mnemonic, isa::InstructionSet set) {
  using Key = std::pair<isa::InstructionSet, std::string_view>;
  static const std::map<Key, const Semantics*> table = [] {
    std::map<Key, const Semantics*> made;
    for (std::span<const Semantics> family : all_semantics())
      for (const Semantics& row : family)
        if (!made.emplace(Key(row.set, row.mnemonic), &row).second)
          throw std::logic_error(fmt::format("opcode {} has two semantics", row.mnemonic));
    return made;
  }();
  auto found = table.find({set, mnemonic});
  if (found == table.end()) found = table.find({isa::InstructionSet::sass128, mnemonic});
  return found == table.end() ? nullptr : found->second;
}

std::shared_ptr<const Program> decode_program(const std::vector<isa::Instruction>& code, int sm) {
  auto program = std::make_shared<Program>();
  program->ops.resize(code.size());
  program->unsupported.resize(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    MicroOp op;
    op.index = static_cast<std::uint32_t>(i);
    try {
      decode_one(code[i], sm, op);
    } catch (const Unsupported& problem) {
      op = MicroOp{};
      op.index = static_cast<std::uint32_t>(i);
      op.execute = &execute_unsupported;
      program->unsupported[i] = problem.why;
    }
    op.guard = {code[i].guard.index, code[i].guard.negate, code[i].guard.uniform};
    program->ops[i] = op;
    count_registers(code[i], program->registers);
    const isa::LaunchBank& bank = isa::architecture(sm).bank;
    program->points_to_parameters |= bank.copy != 0 && reads_bank0(code[i], bank.copy);
    program->reads_grid_id |= reads_bank0(code[i], bank.grid_id);
  }
  program->block_order_matters = std::ranges::any_of(program->ops, takes_ticket);
  program->order_matters = program->block_order_matters || std::ranges::any_of(program->ops, &MicroOp::contends);
  program->waits_in_loops = std::ranges::any_of(program->ops, &MicroOp::waits);
  program->may_share = may_share(*program);
  return program;
}

}  // namespace sassim::emu
