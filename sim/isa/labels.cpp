// SPDX-License-Identifier: Apache-2.0
// Replaces the labels in parsed SASS by byte offsets: those of the listing, or those that a branch's encoding holds, in
// the form that its architecture has.
#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/isa/code_rules.h"
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

std::int64_t target(const Pending& pending, std::string_view name, const Labels& labels,
                    const Architecture& architecture) {
  const auto found = labels.find(name);
  const bool known = found != labels.end();
  if (known && found->second.first == found->second.last) return found->second.first;
  if (pending.instruction.low == 0)
    throw InputError("{}: expected a label of this function, '{}' is not one", pending.place, name);
  const std::int64_t encoded = encoded_target(pending.instruction, architecture);
  if (known && (encoded < found->second.first || encoded > found->second.last))
    throw InputError("{}: expected a target from 0x{:x} to 0x{:x}, for '{}', but the encoding has 0x{:x}",
                     pending.place, found->second.first, found->second.last, name, encoded);
  return encoded;
}

void resolve(Pending& pending, Operand& operand, const Labels& labels, const Architecture& architecture) {
  const std::string_view name = label_name(operand.text);
  if (!name.empty()) operand.value = target(pending, name, labels, architecture);
  // An encoding may name the control word of a group, a listing the first instruction behind it.
  const CodeLayout layout = architecture.code;
  if (layout.group() != 0 && operand.value >= 0 && operand.value % layout.unit_bytes() == 0)
    operand.value += layout.instruction_bytes();
  operand.text = operand.value < 0 ? fmt::format("-0x{:x}", 0 - static_cast<std::uint64_t>(operand.value))
                                   : fmt::format("0x{:x}", operand.value);
}

}  // namespace

std::int64_t encoded_target(const Instruction& instruction, const Architecture& architecture) {
  // Found by comparing encodings with the addresses that cuobjdump prints.
  if (architecture.branch_target == BranchTarget::near) {
    constexpr int kBits = 24;
    const int place = code_rules(architecture).immediate;
    const auto value = static_cast<std::int64_t>(instruction.low << (64 - place - kBits)) >> (64 - kBits);
    const bool absolute = instruction.opcode == "JCAL" || instruction.opcode == "JMP";
    return absolute ? value & 0xffffffff : value + instruction.pc + architecture.code.instruction_bytes();
  }
  const bool apart = architecture.branch_target == BranchTarget::words && instruction.opcode != "BSSY";
  // Its destination register is in the place of the lower bits. Only targets ahead were seen.
  if (instruction.opcode == "LEPC")
    return static_cast<std::int64_t>(instruction.low >> 24) + instruction.pc + architecture.code.instruction_bytes();
  std::uint64_t field = instruction.low >> 32 | (instruction.high & 0x3ffff) << 32;
  if (apart) field = (field >> 2 << 8 | (instruction.low >> 16 & 0xff)) << 2;
  const int unused = apart ? 6 : 14;
  const std::int64_t value = static_cast<std::int64_t>(field << unused) >> unused;
  if (instruction.has("ABS") || instruction.opcode == "JMP") return value;
  return value + instruction.pc + architecture.code.instruction_bytes();
}

void resolve_labels(std::vector<Pending>& code, const Labels& labels, const Architecture& architecture) {
  for (Pending& pending : code)
    for (Operand& operand : pending.instruction.operands)
      if (operand.kind == OperandKind::label) resolve(pending, operand, labels, architecture);
}

}  // namespace sassim::isa
