// SPDX-License-Identifier: Apache-2.0
// Parses listings of nvdisasm -hex and cuobjdump -sass. Both print an instruction of 128 bits as two lines:
//         /*0090*/               @P0 BRA `(.L_x_2) ;      /* 0x0000040000080947 */
//                                                         /* 0x000fea0003800000 */
// One of 64 bits is one line, behind the control word of its group. Two that issue together are in braces, and the
// encoding of the second one is on a line of its own:
//                                                         /* 0x001c4400fe0007fd */
//         /*0088*/         {     IADD32I R1, R1, -0x20 ;  /* 0x1c0ffffffe070101 */
//         /*0090*/               S2R R0, SR_TID.X         }
//                                                         /* 0xf0c8000002170000 */
#include <charconv>
#include <optional>
#include <utility>

#include "sim/isa/architecture.h"
#include "sim/isa/assembly.h"
#include "sim/isa/code_rules.h"
#include "sim/isa/exact_immediates.h"
#include "sim/isa/parser_internal.h"
#include "sim/isa/text_cursor.h"
#include "sim/isa/unprinted.h"

namespace sassim::isa {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

class ListingParser {
 public:
  ListingParser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Disassembly parse() {
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      ++line_;
      parse_line(text_.substr(start, end - start));
      start = end + 1;
    }
    finish_function();
    return std::move(result_);
  }

 private:
  std::string place() const { return fmt::format("{}:{}", file_, line_); }

  void parse_line(std::string_view line) {
    const std::string_view body = trim(line);
    if (body.empty()) return;
    if (body.starts_with("/*")) {
      if (in_code_) parse_code_line(line, static_cast<std::size_t>(body.data() - line.data()));
    } else if (body.starts_with(".section\t")) {
      start_section(trim(body.substr(8)));
    } else if (body.starts_with("Function : ")) {
      start_function(trim(body.substr(11)));
    } else if (body.starts_with(".headerflags")) {
      read_architecture(body);
    } else if (body.starts_with("code for sm_")) {
      set_architecture(body.substr(12));
    } else if (in_code_ && body.ends_with(':')) {
      const auto label =
          labels_.insert_or_assign(std::string(body.substr(0, body.size() - 1)), LabelPlace{next_pc(), next_pc()});
      open_labels_.push_back(&label.first->second);
    }
  }

  void read_architecture(std::string_view flags) {
    const std::size_t at = flags.find("EF_CUDA_SM");
    if (at != std::string_view::npos) set_architecture(flags.substr(at + 10));
  }

  void set_architecture(std::string_view digits) {
    int sm = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), sm);
    architecture_ = &architecture(sm, place());
    result_.sm = sm;
  }

  void start_section(std::string_view name_and_flags) {
    finish_function();
    if (!name_and_flags.starts_with(".text.")) return;
    const std::size_t end = std::min(name_and_flags.find(','), name_and_flags.size());
    start_function(trim(name_and_flags.substr(6, end - 6)));
  }

  void start_function(std::string_view name) {
    finish_function();
    in_code_ = true;
    function_.name = std::string(name);
  }

  void finish_function() {
    if (half_read_) throw InputError("{}: expected the second line of an encoding", pending_.back().place);
    if (in_code_) {
      close_labels();
      resolve_labels(pending_, labels_, *architecture_);
      for (Pending& pending : pending_) {
        set_exact_immediates(pending.instruction, *architecture_);
        function_.code.push_back(std::move(pending.instruction));
      }
      result_.functions.push_back(std::move(function_));
    }
    function_ = {};
    pending_.clear();
    labels_.clear();
    open_labels_.clear();
    control_word_.reset();
    in_code_ = padding_ = false;
  }

  std::uint32_t pc_of(std::size_t index) const { return static_cast<std::uint32_t>(architecture_->code.pc(index)); }
  std::uint32_t next_pc() const { return pc_of(pending_.size()); }

  /// Reads the hexadecimal number of a comment "/*0090*/" or "/* 0x... */".
  static std::optional<std::uint64_t> comment_number(TextCursor& cursor) {
    if (!cursor.accept("/*")) return std::nullopt;
    cursor.skip_space();
    cursor.accept("0x");
    const std::string_view digits = cursor.word();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || end != digits.data() + digits.size()) cursor.fail("a hexadecimal number in /* */");
    cursor.skip_space();
    if (!cursor.accept("*/")) cursor.fail("'*/'");
    return value;
  }

  void parse_code_line(std::string_view line, std::size_t indent) {
    const std::string where = place();
    TextCursor cursor(line, where);
    cursor.seek(indent);
    const std::uint64_t address = *comment_number(cursor);
    cursor.skip_space();
    if (grouped() && cursor.at_end()) return control_or_encoding(address, cursor);
    if (cursor.at_end()) return second_half(address, cursor);  // half an encoding on a line of its own
    if (half_read_) cursor.fail("the second line of the encoding before this instruction");
    if (grouped()) return parse_grouped_line(line, where, address, cursor);
    // The encoding is the last comment of the line. An instruction without an encoding has no control bits.
    const std::size_t comment = line.rfind("/*");
    if (comment == std::string_view::npos || comment < cursor.position()) {
      cursor.seek(line.size());
      cursor.fail("the encoding in /* */ (run nvdisasm with -hex)");
    }
    close_labels();
    if (address != next_pc()) throw InputError("{}: expected address 0x{:x}, read 0x{:x}", where, next_pc(), address);
    Instruction instruction = parse_instruction_at(trim(line.substr(cursor.position(), comment - cursor.position())),
                                                   where, cursor.position());
    cursor.seek(comment);
    instruction.low = *comment_number(cursor);
    instruction.pc = static_cast<std::uint32_t>(address);
    pending_.push_back({std::move(instruction), where});
    half_read_ = true;
  }

  bool grouped() const { return architecture_->code.group() != 0; }

  /// Kepler's code is filled up with a BRA to itself and NOPs that no thread reaches, without a control word before
  /// them.
  bool is_padding(std::uint64_t address, std::string_view text) const {
    return !control_word_ && address % architecture_->code.unit_bytes() == 0 &&
           address + architecture_->code.instruction_bytes() == next_pc() &&
           (text.starts_with("BRA ") || text.starts_with("NOP"));
  }

  /// The encoding of the instruction before, or the control word of the instructions behind it.
  void control_or_encoding(std::uint64_t word, const TextCursor& cursor) {
    if (half_read_) {
      pending_.back().instruction.low = word;
      half_read_ = false;
      return;
    }
    if (pending_.size() % architecture_->code.group() != 0) cursor.fail("an instruction of the group");
    control_word_ = word;
  }

  void parse_grouped_line(std::string_view line, const std::string& where, std::uint64_t address, TextCursor& cursor) {
    if (padding_ || (padding_ = is_padding(address, cursor.rest()))) return;
    close_labels();
    if (address != next_pc()) throw InputError("{}: expected address 0x{:x}, read 0x{:x}", where, next_pc(), address);
    if (!control_word_) throw InputError("{}: expected the control word of the group (run nvdisasm with -hex)", where);
    const std::size_t end = line.find_last_of(";}"), comment = line.rfind("/*");
    std::size_t begin = cursor.position();
    // A brace behind the opcode is an operand of it.
    if (line[begin] == '{') begin = std::min(line.find_first_not_of(" \t", begin + 1), line.size());
    if (end == std::string_view::npos || end <= begin) cursor.fail("an instruction that ends with ';' or '}'");
    Instruction instruction = parse_instruction_at(trim(line.substr(begin, end - begin)), where, begin);
    instruction.pc = static_cast<std::uint32_t>(address);
    const std::size_t in_group = pending_.size() % architecture_->code.group();
    if (code_rules(*architecture_).counters) {
      instruction.high = spread_control(*control_word_, in_group);
      instruction.control = decode_control(instruction.high);
    } else {
      instruction.high = spread_stall(*control_word_, in_group);
      instruction.control = decode_stall(instruction.high);
    }
    half_read_ = comment == std::string_view::npos || comment < end;
    if (!half_read_) {
      cursor.seek(comment);
      instruction.low = *comment_number(cursor);
    }
    pending_.push_back({std::move(instruction), where});
    if (pending_.size() % architecture_->code.group() == 0) control_word_.reset();
  }

  void second_half(std::uint64_t encoding, const TextCursor& cursor) {
    if (!half_read_) {
      // First line of an instruction that the disassembler prints only as an encoding.
      pending_.emplace_back();
      pending_.back().place = place();
      pending_.back().instruction.low = encoding;
      half_read_ = unprinted_ = true;
      return;
    }
    Pending& pending = pending_.back();
    if (std::exchange(unprinted_, false)) name_unprinted(pending, encoding, cursor);
    pending.instruction.high = encoding;
    pending.instruction.control = decode_control(encoding);
    half_read_ = false;
  }

  /// Called at an instruction with text: the labels before it belong to it, or to an earlier instruction without text.
  void close_labels() {
    for (LabelPlace* place : open_labels_) place->last = next_pc();
    open_labels_.clear();
  }

  void name_unprinted(Pending& pending, std::uint64_t high, const TextCursor& cursor) {
    const std::uint64_t low = pending.instruction.low;
    const auto text = unprinted_instruction(low, high);
    if (!text) cursor.fail(fmt::format("the text of the instruction with the encoding 0x{:016x}{:016x}", high, low));
    pending.instruction = parse_instruction(*text, pending.place);
    pending.instruction.pc = pc_of(pending_.size() - 1);
    pending.instruction.low = low;
  }

  std::string_view text_, file_;
  std::size_t line_ = 0;
  Disassembly result_;
  const Architecture* architecture_ = &assumed_architecture();
  Function function_;
  std::vector<Pending> pending_;
  Labels labels_;
  std::vector<LabelPlace*> open_labels_;
  std::optional<std::uint64_t> control_word_;
  bool in_code_ = false;
  bool half_read_ = false;
  bool unprinted_ = false;
  bool padding_ = false;
};

}  // namespace

Disassembly parse_disassembly(std::string_view text, std::string_view file) {
  return ListingParser(text, file).parse();
}

const Function* Disassembly::find(std::string_view name) const {
  for (const Function& function : functions)
    if (function.name == name) return &function;
  return nullptr;
}

}  // namespace sassim::isa
