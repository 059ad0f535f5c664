// SPDX-License-Identifier: Apache-2.0
// Escapes control characters, invisible characters and invalid UTF-8 in text from outside.
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

struct Range {
  std::uint32_t first, last;
};

/// Characters that control a terminal, and characters that nobody sees: they change the direction of the text around
/// them, or make two names look alike. Unicode 15 lists the latter as Default_Ignorable_Code_Point
/// (DerivedCoreProperties.txt); line and paragraph separators and interlinear marks join them.
constexpr Range kObeyed[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
    {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool obeyed(std::uint32_t code) {
  if (code >= 0x20 && code < 0x7f) return false;
  return std::ranges::any_of(kObeyed, [&](const Range& range) { return code >= range.first && code <= range.last; });
}

/// `escape`: what stands before the two digits of an escaped byte.
std::string escaped_with(std::string_view escape, std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (character && !obeyed(character->code))
      out += text.substr(0, bytes);
    else
      for (const char byte : text.substr(0, bytes))
        out += fmt::format("{}{:02x}", escape, static_cast<std::uint8_t>(byte));
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped_with("\\x", text); }

std::string printable_json(std::string_view document) { return escaped_with("\\\\x", document); }

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
