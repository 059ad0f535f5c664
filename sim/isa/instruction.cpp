// SPDX-License-Identifier: Apache-2.0
// Prints an instruction as SASS text, and finds its modifiers.
#include "sim/isa/instruction.h"

#include <fmt/format.h>

#include <algorithm>

namespace sassim::isa {

bool Operand::has(std::string_view suffix) const {
  return std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end();
}

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string Instruction::text() const {
  std::string out;
  if (!guard.always()) {
    out += guard.negate ? "@!" : "@";
    if (guard.uniform) out += 'U';
    out += guard.index == kPT ? std::string("PT") : fmt::format("P{}", guard.index);
    out += ' ';
  }
  out += opcode;
  for (const auto& modifier : modifiers) out += '.' + modifier;
  const char* separator = " ";
  for (const Operand& operand : operands) {
    out += separator + operand.text;
    separator = ", ";
  }
  return out;
}

}  // namespace sassim::isa
