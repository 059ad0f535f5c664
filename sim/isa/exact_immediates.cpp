// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/exact_immediates.h"

#include <bit>

namespace sassim::isa {
namespace {

/// A 32-bit immediate is in bits 63:32 of the encoding, for every operand position.
std::uint32_t immediate_field(const Instruction& instruction) {
  return static_cast<std::uint32_t>(instruction.low >> 32);
}

/// Converts a NaN to a double with the same sign, payload and quiet bit: a cast would make a signalling NaN quiet.
std::int64_t widen_nan(std::uint32_t bits) {
  const std::uint64_t sign = std::uint64_t{bits >> 31} << 63;
  return static_cast<std::int64_t>(sign | 0x7ffull << 52 | std::uint64_t{bits & 0x7fffff} << 29);
}

std::int64_t float_bits(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (value != value) return widen_nan(bits);
  return std::bit_cast<std::int64_t>(static_cast<double>(value));
}

}  // namespace

void set_exact_immediates(Instruction& instruction) {
  if (instruction.low == 0) return;
  const char type = instruction.opcode.empty() ? '\0' : instruction.opcode[0];
  for (Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::imm && operand.text.find('@') != std::string::npos)
      operand.value = immediate_field(instruction);
    if (operand.kind != OperandKind::fimm) continue;
    if (type == 'D')
      operand.value = static_cast<std::int64_t>(std::uint64_t{immediate_field(instruction)} << 32);
    else if (type == 'F' || type == 'M')
      operand.value = float_bits(immediate_field(instruction));
  }
}

}  // namespace sassim::isa
