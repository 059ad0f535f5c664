// SPDX-License-Identifier: Apache-2.0
// Writes cells of CSV tables: quotes what must be quoted, and disarms texts that a spreadsheet would execute.
#include "sim/base/csv.h"

#include <charconv>
#include <system_error>

namespace sassim {

namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

/// '＝' and the other wide forms (U+FF1D, FF0B, FF0D, FF20) count as the sign that they are a form of.
bool begins_as_formula(std::string_view text) {
  if (text.empty()) return false;
  for (const std::string_view wide : {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"})
    if (text.starts_with(wide)) return true;
  return std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
}

std::string plain_cell(std::string_view text) {
  return (begins_as_formula(text) && !is_number(text) ? "'" : "") + std::string(text);
}

}  // namespace

std::string quoted_csv_cell(std::string_view text) {
  std::string out = "\"";
  for (const char c : plain_cell(text)) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_cell(std::string_view text) {
  return text.find_first_of(",\"\r\n") == std::string_view::npos ? plain_cell(text) : quoted_csv_cell(text);
}

}  // namespace sassim
