// SPDX-License-Identifier: Apache-2.0
#include "sim/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace sassim {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

/// The first UTF-8 character of the text; empty if it is invalid (RFC 3629: surrogates and overlong forms are invalid).
std::optional<Character> first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t head = byte(0);
  if (head < 0x80) return Character{head, 1};
  const std::size_t bytes = head >> 5 == 0x6 ? 2 : head >> 4 == 0xe ? 3 : head >> 3 == 0x1e ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t code = head & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte(i) >> 6 != 0x2) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kFirst[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kFirst[bytes] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return Character{code, bytes};
}

/// Characters that control a terminal, or that change the direction of the text around them.
bool obeyed(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return control || direction;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (character && !obeyed(character->code))
      out += text.substr(0, bytes);
    else
      for (const char byte : text.substr(0, bytes)) out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(byte));
    text.remove_prefix(bytes);
  }
  return out;
}

std::string printable_lines(std::string_view text, std::size_t longest) {
  std::string out;
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t tail = longest / 2;
    if (end > longest)
      out += printable(text.substr(0, longest - tail)) + "..." + printable(text.substr(end - tail, tail));
    else
      out += printable(text.substr(0, end));
    if (end == text.size()) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace sassim
