// SPDX-License-Identifier: Apache-2.0
// Takes immediates that SASS text does not show exactly (NaN payloads, linked addresses) from the encoding.
#include "sim/isa/exact_immediates.h"

#include <bit>
#include <string_view>

#include "sim/isa/code_rules.h"

namespace sassim::isa {
namespace {

/// Of 64-bit instructions: 32 bits in opcodes that end with "32I", else 19 bits and a sign, which are the upper bits of
/// a floating-point number.
std::uint32_t short_immediate(const Instruction& instruction, const Architecture& architecture) {
  constexpr int kBits = 19;
  const int place = code_rules(architecture).immediate, sign_place = code_rules(architecture).immediate_sign;
  if (instruction.opcode.ends_with("32I")) return static_cast<std::uint32_t>(instruction.low >> place);
  const auto sign = static_cast<std::uint32_t>(instruction.low >> sign_place & 1);
  const auto bits = static_cast<std::uint32_t>(instruction.low >> place) & ((1u << kBits) - 1);
  const char type = instruction.opcode.empty() ? '\0' : instruction.opcode[0];
  constexpr std::string_view kFloating = "DFM";
  if (kFloating.find(type) != std::string_view::npos || instruction.opcode == "RRO") return sign << 31 | bits << 12;
  return bits | (0 - sign) << kBits;
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

/// The disassembler prints immediates of 20 bits with their sign, but those of IADD3 without: 0xffff0 is -16.
void extend_sign(const Instruction& instruction, Operand& operand) {
  constexpr std::int64_t kSign = 1 << 19, kAll = 1 << 20;
  const bool in_short = operand.kind == OperandKind::imm && !instruction.opcode.ends_with("32I");
  if (in_short && operand.value >= kSign && operand.value < kAll) operand.value -= kAll;
}

}  // namespace

std::uint32_t encoded_immediate(const Instruction& instruction, const Architecture& architecture) {
  // In 128-bit instructions it is in bits 63:32 for every operand position.
  return architecture.set == InstructionSet::sass64 ? short_immediate(instruction, architecture)
                                                    : static_cast<std::uint32_t>(instruction.low >> 32);
}

void set_exact_immediates(Instruction& instruction, const Architecture& architecture) {
  if (instruction.low == 0) return;
  const char type = instruction.opcode.empty() ? '\0' : instruction.opcode[0];
  for (Operand& operand : instruction.operands) {
    if (architecture.set == InstructionSet::sass64) extend_sign(instruction, operand);
    if (operand.kind == OperandKind::imm && operand.text.find('@') != std::string::npos)
      operand.value = encoded_immediate(instruction, architecture);
    if (operand.kind != OperandKind::fimm) continue;
    if (type == 'D')
      operand.value = static_cast<std::int64_t>(std::uint64_t{encoded_immediate(instruction, architecture)} << 32);
    else if (type == 'F' || type == 'M')
      operand.value = float_bits(encoded_immediate(instruction, architecture));
    if (operand.has("NEG")) operand.value ^= std::int64_t{1} << 63;  // printed behind the number: 6.NEG
  }
}

}  // namespace sassim::isa
