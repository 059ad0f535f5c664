// SPDX-License-Identifier: Apache-2.0
// Parses one line of SASS to an instruction with its operands, for listings and hand-written code.
#include <algorithm>
#include <array>

#include "sim/isa/assembly.h"
#include "sim/isa/parser_internal.h"

namespace sassim::isa {
namespace {

constexpr std::size_t kMaxLine = 4096;

void parse_guard(TextCursor& cursor, Guard& guard) {
  guard.negate = cursor.accept('!');
  const std::string_view word = cursor.word();
  const std::string_view name = word.starts_with('U') ? word.substr(1) : word;
  guard.uniform = name.size() != word.size();
  const bool numbered = name.size() == 2 && name[0] == 'P' && name[1] >= '0' && name[1] <= '6';
  if (name != "PT" && !numbered) cursor.fail("a predicate after '@'");
  guard.index = numbered ? static_cast<std::uint8_t>(name[1] - '0') : kPT;
}

/// Whether the last operand is a code address, which cuobjdump prints as a plain number.
bool has_target(const Instruction& instruction) {
  static constexpr std::array<std::string_view, 12> kTargets = {"BRA",  "BSSY", "CALL", "JMP",  "RET", "LEPC",
                                                                "PRET", "SSY",  "PBK",  "PCNT", "CAL", "JCAL"};
  if (instruction.opcode == "WARPSYNC") return instruction.has("COLLECTIVE");
  return std::find(kTargets.begin(), kTargets.end(), instruction.opcode) != kTargets.end();
}

/// Whether a decimal literal without a point is a floating-point number: in MUFU and in opcodes that begin with F, D or
/// H, with exceptions.
bool is_floating_point(std::string_view opcode) {
  if (opcode == "DEPBAR" || opcode == "FLO" || opcode == "DP4A" || opcode == "DP2A" || opcode == "FENCE") return false;
  return opcode == "MUFU" || opcode.starts_with('F') || opcode.starts_with('D') || opcode.starts_with('H');
}

void parse_opcode(TextCursor& cursor, Instruction& instruction) {
  instruction.opcode = cursor.word();
  if (instruction.opcode.empty() || !std::isupper(static_cast<unsigned char>(instruction.opcode[0])))
    cursor.fail("an opcode");
  while (cursor.accept('.')) {
    const std::string_view modifier = cursor.word();
    if (modifier.empty()) cursor.fail("a modifier after '.'");
    instruction.modifiers.emplace_back(modifier);
  }
}

/// Skips a note of the disassembler, such as (*"BRANCH_TARGETS ..."*).
bool skip_note(TextCursor& cursor) {
  if (!cursor.accept("(*")) return false;
  while (!cursor.at_end() && !cursor.accept("*)")) cursor.take();
  return true;
}

void parse_operands(TextCursor& cursor, Instruction& instruction) {
  const bool floating_point = is_floating_point(instruction.opcode);
  for (bool after_comma = false;;) {
    cursor.skip_space();
    if (skip_note(cursor)) continue;
    if (!after_comma && (cursor.at_end() || cursor.peek() == ';' || cursor.peek() == '&' || cursor.peek() == '?'))
      return;
    const std::size_t start = cursor.position();
    instruction.operands.push_back(parse_operand(cursor, floating_point));
    if (cursor.position() == start) cursor.fail("an operand");
    const char next = cursor.peek();
    if (!cursor.at_end() && next != ',' && next != ';' && !std::isspace(static_cast<unsigned char>(next)))
      cursor.fail("',' or ';' after an operand");
    cursor.skip_space();
    after_comma = cursor.accept(',');
  }
}

}  // namespace

Instruction parse_instruction_at(std::string_view text, std::string_view place, std::size_t shift) {
  TextCursor cursor(text, place, shift);
  if (text.size() > kMaxLine) cursor.fail("an instruction of at most 4096 characters");
  Instruction instruction;
  cursor.skip_space();
  if (cursor.accept('@')) parse_guard(cursor, instruction.guard);
  cursor.skip_space();
  parse_opcode(cursor, instruction);
  if (!cursor.at_end() && cursor.peek() != ';' && !std::isspace(static_cast<unsigned char>(cursor.peek())))
    cursor.fail("a space or ';' after the opcode");
  parse_operands(cursor, instruction);
  // Newer disassemblers print control bits after '&' and '?'.
  if (!cursor.at_end() && cursor.peek() != ';')
    while (!cursor.at_end() && cursor.peek() != ';') cursor.take();
  if (cursor.accept(';')) cursor.skip_space();
  if (!cursor.at_end()) cursor.fail("the end of the instruction");
  if (has_target(instruction) && !instruction.operands.empty() && instruction.operands.back().kind == OperandKind::imm)
    instruction.operands.back().kind = OperandKind::label;
  return instruction;
}

Instruction parse_instruction(std::string_view text, std::string_view place) {
  return parse_instruction_at(text, place, 0);
}

}  // namespace sassim::isa
