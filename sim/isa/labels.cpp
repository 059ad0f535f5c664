// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/types.h"
#include "sim/isa/parser_internal.h"

namespace sassim::isa {
namespace {

/// "`(.L_x_3)" -> ".L_x_3"
std::string_view label_name(std::string_view text) {
  const std::size_t open = text.find("`(");
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) return {};
  return text.substr(open + 2, close - open - 2);
}

void resolve(Pending& pending, Operand& operand, const Labels& labels) {
  const std::string_view name = label_name(operand.text);
  if (!name.empty()) {
    const auto found = labels.find(name);
    if (found != labels.end())
      operand.value = found->second;
    else if (pending.instruction.low != 0)
      operand.value = encoded_target(pending.instruction);
    else
      throw InputError("{}: expected a label of this function, '{}' is not one", pending.place, name);
  }
  operand.text = operand.value < 0 ? fmt::format("-0x{:x}", 0 - static_cast<std::uint64_t>(operand.value))
                                   : fmt::format("0x{:x}", operand.value);
}

}  // namespace

std::int64_t encoded_target(const Instruction& instruction) {
  // A signed 50-bit field from bit 32 on; absolute jumps and calls hold the target itself.
  const std::uint64_t field = instruction.low >> 32 | (instruction.high & 0x3ffff) << 32;
  const std::int64_t value = static_cast<std::int64_t>(field << 14) >> 14;
  if (instruction.has("ABS") || instruction.opcode == "JMP") return value;
  return value + instruction.pc + kInstructionBytes;
}

void resolve_labels(std::vector<Pending>& code, const Labels& labels) {
  for (Pending& pending : code)
    for (Operand& operand : pending.instruction.operands)
      if (operand.kind == OperandKind::label) resolve(pending, operand, labels);
}

}  // namespace sassim::isa
