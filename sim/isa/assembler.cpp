// SPDX-License-Identifier: Apache-2.0
// Parses hand-written SASS with its control bits: "B01----:R-:W0:-:S02  @P0 LDG.E R2, [R4.64] ; // comment"
#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/assembly.h"
#include "sim/isa/opcode.h"
#include "sim/isa/parser_internal.h"
#include "sim/isa/text_cursor.h"

namespace sassim::isa {
namespace {

/// Reads a counter such as "R3", or "W-" for none.
std::uint8_t parse_counter(TextCursor& cursor, char name) {
  cursor.expect(name, fmt::format("'{}' and a counter of 0 to 5, or '-'", name));
  if (cursor.accept('-')) return kNoCounter;
  if (cursor.peek() < '0' || cursor.peek() > '5') cursor.fail("a counter of 0 to 5, or '-'");
  return static_cast<std::uint8_t>(cursor.take() - '0');
}

ControlBits parse_control(TextCursor& cursor) {
  ControlBits control;
  cursor.expect('B', "'B' and the wait mask");
  for (; cursor.peek() != ':'; cursor.take()) {
    if (cursor.peek() == '-') continue;
    if (cursor.peek() < '0' || cursor.peek() > '5') cursor.fail("counters of 0 to 5, or '-', in the wait mask");
    control.wait_mask |= static_cast<std::uint8_t>(1u << (cursor.peek() - '0'));
  }
  cursor.expect(':', "':'");
  control.read_counter = parse_counter(cursor, 'R');
  cursor.expect(':', "':' after the read counter");
  control.write_counter = parse_counter(cursor, 'W');
  cursor.expect(':', "':' after the write counter");
  control.yield = cursor.accept('Y');
  if (!control.yield) cursor.expect('-', "'Y' or '-' (yield)");
  cursor.expect(':', "':' after the yield flag");
  cursor.expect('S', "'S' and the stall cycles");
  const std::string_view digits = cursor.word();
  int stall = digits.empty() ? -1 : 0;
  for (char c : digits) stall = c >= '0' && c <= '9' && stall >= 0 && stall <= 15 ? stall * 10 + (c - '0') : -1;
  if (stall < 0 || stall > 15) cursor.fail("a stall of 0 to 15 before");
  control.stall = static_cast<std::uint8_t>(stall);
  return control;
}

bool starts_with_control(std::string_view text) {
  const std::size_t colon = text.find(':');
  return text.starts_with('B') && colon != std::string_view::npos && text.find_first_not_of("012345-", 1) == colon;
}

/// The operand slots that `.reuse` marks; the opcode table assigns the slots.
std::uint8_t written_reuse(const Instruction& instruction, const Architecture& architecture) {
  std::uint8_t reuse = 0;
  if (find_opcode(instruction.opcode, architecture.set) == nullptr) return reuse;
  for (const RegisterUse& use : decode(instruction, architecture.sm).reads)
    if (use.reuse) reuse |= static_cast<std::uint8_t>(1u << use.slot);
  return reuse;
}

class Assembler {
 public:
  Assembler(std::string_view text, std::string_view file, const Architecture& architecture)
      : text_(text), file_(file), architecture_(architecture) {}

  std::vector<Instruction> run() {
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      ++line_;
      parse_line(text_.substr(start, end - start));
      start = end + 1;
    }
    resolve_labels(pending_, labels_, architecture_);
    std::vector<Instruction> code;
    for (Pending& pending : pending_) code.push_back(std::move(pending.instruction));
    return code;
  }

 private:
  void parse_line(std::string_view line) {
    line = line.substr(0, line.find("//"));
    const std::string place = fmt::format("{}:{}", file_, line_);
    TextCursor cursor(line, place);
    cursor.skip_space();
    if (cursor.at_end()) return;
    if (define_label(cursor)) return;
    ControlBits control;
    if (starts_with_control(cursor.rest())) control = parse_control(cursor);
    cursor.skip_space();
    Instruction instruction = parse_instruction_at(cursor.rest(), place, cursor.position());
    name_bare_labels(instruction);
    instruction.pc = next_pc();
    control.reuse = written_reuse(instruction, architecture_);
    instruction.control = control;
    instruction.high = encode_control(0, control);
    pending_.push_back({std::move(instruction), place});
  }

  bool define_label(TextCursor& cursor) {
    const std::size_t start = cursor.position();
    while (TextCursor::is_word(cursor.peek()) || cursor.peek() == '.') cursor.take();
    const std::string name(cursor.since(start));
    if (!name.empty() && cursor.accept(':')) {
      cursor.skip_space();
      if (cursor.at_end()) {
        if (!labels_.emplace(name, LabelPlace{next_pc(), next_pc()}).second)
          cursor.fail("a label that is not defined before");
        return true;
      }
    }
    cursor.seek(start);
    return false;
  }

  /// Makes "BRA loop" mean "BRA `(loop)".
  static void name_bare_labels(Instruction& instruction) {
    if (instruction.operands.empty()) return;
    Operand& last = instruction.operands.back();
    static constexpr std::array<std::string_view, 10> kJumps = {"BRA", "BSSY", "CALL", "JMP", "RET",
                                                                "CAL", "PRET", "SSY",  "PBK", "PCNT"};
    const bool jumps = std::ranges::find(kJumps, instruction.opcode) != kJumps.end();
    if (!jumps || last.kind != OperandKind::pred_file) return;
    last.kind = OperandKind::label;
    last.text = "`(" + last.text + ")";
  }

  std::uint32_t next_pc() const { return static_cast<std::uint32_t>(architecture_.code.pc(pending_.size())); }

  std::string_view text_, file_;
  const Architecture& architecture_;
  std::size_t line_ = 0;
  std::vector<Pending> pending_;
  Labels labels_;
};

}  // namespace

std::vector<Instruction> assemble(std::string_view text, std::string_view file, const Architecture& architecture) {
  return Assembler(text, file, architecture).run();
}

std::string control_text(const ControlBits& control) {
  const auto counter = [](std::uint8_t index) {
    return index == kNoCounter ? std::string("-") : fmt::format("{}", index);
  };
  std::string mask = "------";
  for (std::size_t i = 0; i < kDependenceCounters; ++i)
    if (control.wait_mask >> i & 1) mask[i] = static_cast<char>('0' + i);
  return fmt::format("B{}:R{}:W{}:{}:S{:02}", mask, counter(control.read_counter), counter(control.write_counter),
                     control.yield ? 'Y' : '-', control.stall);
}

}  // namespace sassim::isa
