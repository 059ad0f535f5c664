// SPDX-License-Identifier: Apache-2.0
// Parses one operand of SASS text: register, predicate, constant, address, label, number.
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "sim/isa/parser_internal.h"

namespace sassim::isa {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The value of the decimal digits in `text`; -1 if it is empty, has other characters, or exceeds `limit`.
int small_number(std::string_view text, int limit) {
  if (text.empty() || text.size() > 3) return -1;
  int value = 0;
  for (char c : text) {
    if (!is_digit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  return value <= limit ? value : -1;
}

struct NamedRegister {
  OperandKind kind;
  std::uint8_t index;
};

struct RegisterFile {
  std::string_view prefix;   // prefix of a numbered register
  std::string_view special;  // name of the constant register: RZ, PT
  OperandKind kind;
  std::uint8_t fixed_index;
  int limit;  // largest register number with a name
};

// Longer prefixes come first: "UR4" must not match "U".
constexpr RegisterFile kFiles[] = {
    {"UR", "URZ", OperandKind::ureg, kURZ, kURZ}, {"UP", "UPT", OperandKind::upred, kPT, kPT},
    {"SB", "", OperandKind::scoreboard, 0, 7},    {"R", "RZ", OperandKind::reg, kRZ, kRZ},
    {"P", "PT", OperandKind::pred, kPT, kPT},     {"B", "", OperandKind::barrier, 0, 15},
};

std::optional<NamedRegister> find_register(std::string_view word) {
  for (const RegisterFile& file : kFiles) {
    if (!file.special.empty() && word == file.special) return NamedRegister{file.kind, file.fixed_index};
    if (!word.starts_with(file.prefix)) continue;
    const int index = small_number(word.substr(file.prefix.size()), file.limit);
    if (index >= 0) return NamedRegister{file.kind, static_cast<std::uint8_t>(index)};
  }
  return std::nullopt;
}

std::int64_t parse_integer(TextCursor& cursor) {
  const bool negative = cursor.accept('-');
  if (!negative) cursor.accept('+');
  const int base = cursor.accept("0x") || cursor.accept("0X") ? 16 : 10;
  const std::string_view rest = cursor.rest();
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), magnitude, base);
  if (error == std::errc::result_out_of_range) cursor.fail("an integer of at most 64 bits");
  if (error != std::errc{}) cursor.fail("an integer");
  cursor.seek(cursor.position() + static_cast<std::size_t>(end - rest.data()));
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

/// Reads suffixes such as ".64.reuse.H0_H0".
void parse_suffixes(TextCursor& cursor, Operand& operand) {
  while (cursor.accept('.')) {
    const std::string_view suffix = cursor.word();
    if (suffix.empty()) cursor.fail("a suffix after '.'");
    if (suffix == "reuse")
      operand.reuse = true;
    else
      operand.suffixes.emplace_back(suffix);
  }
}

/// Reads the bank of a constant or the uniform register of a descriptor: "[0x3]", "[UR4]".
NamedRegister parse_bracketed_uniform(TextCursor& cursor) {
  cursor.skip_space();
  cursor.expect('[', "'['");
  const auto found = find_register(cursor.word());
  if (!found || found->kind != OperandKind::ureg) cursor.fail("a uniform register in '[...]'");
  while (cursor.accept('.')) cursor.word();
  cursor.expect(']', "']'");
  return *found;
}

void add_address_register(TextCursor& cursor, Operand& operand, NamedRegister found) {
  bool wide = false;
  while (cursor.accept('.')) {
    const std::string_view suffix = cursor.word();
    if (suffix == "64")
      wide = true;
    else if (suffix == "X4" || suffix == "X8" || suffix == "X16")
      operand.scale = static_cast<std::uint8_t>(small_number(suffix.substr(1), 16));
    else if (suffix.empty())
      cursor.fail("a suffix after '.'");
    if (suffix == "reuse")
      operand.reuse = true;
    else
      operand.suffixes.emplace_back(suffix);
  }
  if (found.kind == OperandKind::reg && !operand.base) {
    operand.base = found.index;
    operand.base_wide = wide;
  } else if (found.kind == OperandKind::ureg && !operand.ubase) {
    operand.ubase = found.index;
    operand.ubase_wide = wide;
  } else {
    cursor.fail("an address of at most one register and one uniform register");
  }
}

/// Reads the sum inside "[...]", after the opening bracket.
void parse_address(TextCursor& cursor, Operand& operand) {
  cursor.skip_space();
  if (cursor.accept(']')) return;
  for (;;) {
    cursor.skip_space();
    const char c = cursor.peek();
    if (is_digit(c) || c == '-') {
      operand.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.offset) +
                                                 static_cast<std::uint64_t>(parse_integer(cursor)));
    } else {
      const auto found = find_register(cursor.word());
      if (!found) cursor.fail("a register or an offset in an address");
      add_address_register(cursor, operand, *found);
    }
    cursor.skip_space();
    if (cursor.accept(']')) return;
    if (cursor.peek() != '-') cursor.expect('+', "'+' or ']' in an address");
  }
}

Operand parse_constant(TextCursor& cursor, bool banked_by_register) {
  Operand operand;
  operand.kind = OperandKind::constant;
  if (banked_by_register) {
    operand.ur_bank = parse_bracketed_uniform(cursor).index;
  } else {
    cursor.expect('[', "'[' and a constant bank");
    const std::int64_t bank = parse_integer(cursor);
    if (bank < 0 || bank > 31) cursor.fail("a constant bank of 0 to 31");
    operand.bank = static_cast<std::uint8_t>(bank);
    cursor.expect(']', "']' after the constant bank");
  }
  cursor.skip_space();  // FP16 instructions print a blank: "c[0x0] [0x160]"
  cursor.expect('[', "'[' and a constant offset");
  parse_address(cursor, operand);
  return operand;
}

Operand parse_memory(TextCursor& cursor) {
  Operand operand;
  operand.kind = OperandKind::memory;
  cursor.expect('[', "'['");
  parse_address(cursor, operand);
  return operand;
}

Operand parse_descriptor(TextCursor& cursor) {
  const NamedRegister descriptor = parse_bracketed_uniform(cursor);
  Operand operand;
  operand.kind = OperandKind::memory;
  if (cursor.peek() == '[') operand = parse_memory(cursor);
  operand.descriptor = descriptor.index;
  return operand;
}

/// Reads "{3,1}", after the brace.
Operand parse_counters(TextCursor& cursor) {
  Operand operand;
  operand.kind = OperandKind::counters;
  cursor.skip_space();
  while (!cursor.accept('}')) {
    const std::int64_t counter = parse_integer(cursor);
    if (counter < 0 || counter > 7) cursor.fail("a dependence counter of 0 to 7");
    operand.value |= std::int64_t{1} << counter;
    cursor.skip_space();
    if (cursor.accept(','))
      cursor.skip_space();
    else if (cursor.peek() != '}')
      cursor.fail("',' or '}' in a set of counters");
  }
  return operand;
}

/// Reads "`(.L_x_3)" or "`(name)", after the quote. The listing parser later replaces the name by an offset.
Operand parse_label(TextCursor& cursor) {
  Operand operand;
  operand.kind = OperandKind::label;
  cursor.expect('(', "'(' of a label");
  for (int depth = 1; depth > 0;) {
    if (cursor.at_end()) cursor.fail("')' of a label");
    const char c = cursor.take();
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  return operand;
}

std::optional<double> named_float(TextCursor& cursor) {
  const std::size_t start = cursor.position();
  const bool negative = cursor.accept('-');
  if (!negative) cursor.accept('+');
  const std::string_view word = cursor.word();
  const double sign = negative ? -1.0 : 1.0;
  if (word == "INF") return sign * std::numeric_limits<double>::infinity();
  if (word == "QNAN" || word == "NAN") return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (word == "SNAN") return std::copysign(std::numeric_limits<double>::signaling_NaN(), sign);
  cursor.seek(start);
  return std::nullopt;
}

bool looks_like_float(TextCursor cursor) {
  if (cursor.peek() == '-' || cursor.peek() == '+') cursor.take();
  const std::string_view digits = cursor.word();
  if (digits.starts_with("0x") || digits.starts_with("0X")) return false;
  return cursor.peek() == '.' || digits.find_first_of("eE") != std::string_view::npos;
}

/// Skips "32@lo(name)", an immediate that the linker fills in. Only the encoding has its value.
bool skip_relocated(TextCursor& cursor) {
  if (!cursor.rest().starts_with("32@") && !cursor.rest().starts_with("16@") && !cursor.rest().starts_with("64@") &&
      !cursor.rest().starts_with("index@") && !cursor.rest().starts_with("fun@"))
    return false;
  for (int depth = 0; !cursor.at_end(); cursor.take()) {
    if (depth == 0 && (cursor.peek() == ',' || cursor.peek() == ';' || cursor.peek() == ' ')) break;
    depth += cursor.peek() == '(' ? 1 : cursor.peek() == ')' ? -1 : 0;
  }
  return true;
}

Operand parse_number(TextCursor& cursor, bool floating_point) {
  Operand operand;
  if (const auto named = named_float(cursor)) {
    operand.kind = OperandKind::fimm;
    operand.value = std::bit_cast<std::int64_t>(*named);
    return operand;
  }
  if (skip_relocated(cursor)) return operand;
  const bool hexadecimal = cursor.rest().starts_with("0x") || cursor.rest().starts_with("-0x");
  if (!looks_like_float(cursor) && (hexadecimal || !floating_point)) {
    operand.value = parse_integer(cursor);
    return operand;
  }
  if (cursor.peek() == '+') cursor.take();
  const std::string_view rest = cursor.rest();
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (end == rest.data()) cursor.fail("a number");
  // A sign of its own may stand behind a number without digits after the point: 6.NEG.
  const auto digits = static_cast<std::size_t>(end - rest.data());
  const bool suffix = digits > 0 && rest[digits - 1] == '.' && rest.substr(digits).starts_with("NEG");
  cursor.seek(cursor.position() + digits - (suffix ? 1 : 0));
  if (error == std::errc::result_out_of_range) cursor.fail("a number within the range of a double");
  operand.kind = OperandKind::fimm;
  operand.value = std::bit_cast<std::int64_t>(value);
  return operand;
}

Operand parse_named(TextCursor& cursor) {
  Operand operand;
  const std::string_view word = cursor.word();
  if (word.empty()) cursor.fail("an operand");
  if (const auto found = find_register(word)) {
    operand.kind = found->kind;
    operand.index = found->index;
  } else if ((word == "c" || word == "cx") && cursor.peek() == '[') {
    operand = parse_constant(cursor, word == "cx");
  } else if ((word == "desc" || word == "gdesc" || word == "tdesc" || word == "a") &&
             (cursor.peek() == '[' || cursor.rest().starts_with(" ["))) {
    operand = word == "a" ? parse_memory(cursor) : parse_descriptor(cursor);
  } else {
    operand.kind = word.starts_with("SR") ? OperandKind::special : OperandKind::pred_file;
  }
  return operand;
}

/// Whether the shape of a texture or surface follows: "1D", "2D", "3D".
bool at_shape(TextCursor cursor) {
  const std::string_view word = cursor.word();
  return word.size() == 2 && word[0] >= '1' && word[0] <= '3' && word[1] == 'D';
}

Operand parse_core(TextCursor& cursor, bool floating_point) {
  const char c = cursor.peek();
  if (at_shape(cursor)) return parse_named(cursor);
  const char second = cursor.peek(c == '+' || c == '-' ? 1 : 0);
  if (c == '[') return parse_memory(cursor);
  if (cursor.accept('{')) return parse_counters(cursor);
  if (cursor.accept('`')) return parse_label(cursor);
  const bool named_number = (c == '+' || c == '-') && std::isalpha(static_cast<unsigned char>(second));
  if (is_digit(c) || ((c == '+' || c == '-') && (is_digit(second) || second == '.')) || named_number)
    return parse_number(cursor, floating_point);
  if (cursor.rest().starts_with("INF") || cursor.rest().starts_with("QNAN")) return parse_number(cursor, true);
  if (cursor.rest().starts_with("index@") || cursor.rest().starts_with("fun@")) return parse_number(cursor, false);
  return parse_named(cursor);
}

}  // namespace

Operand parse_operand(TextCursor& cursor, bool floating_point) {
  cursor.skip_space();
  const std::size_t start = cursor.position();
  bool negate = false, invert = false, absolute = false;
  // A minus before a digit, INF or NAN belongs to the number.
  for (bool more = true; more;) {
    const char next = cursor.peek(1);
    if (cursor.peek() == '-' && !is_digit(next) && next != '.' && !cursor.rest().starts_with("-INF") &&
        !cursor.rest().starts_with("-QNAN") && !cursor.rest().starts_with("-SNAN") &&
        !cursor.rest().starts_with("-NAN")) {
      cursor.take();
      negate = true;
    } else if (cursor.peek() == '~' || cursor.peek() == '!') {
      cursor.take();
      invert = true;
    } else {
      more = false;
    }
  }
  if (cursor.accept('|')) absolute = true;
  Operand operand = parse_core(cursor, floating_point);
  parse_suffixes(cursor, operand);
  if (absolute) {
    cursor.expect('|', "'|' that ends an absolute value");
    parse_suffixes(cursor, operand);
  }
  operand.negate = negate;
  operand.invert = invert;
  operand.absolute = absolute;
  operand.text = std::string(cursor.since(start));
  return operand;
}

}  // namespace sassim::isa
