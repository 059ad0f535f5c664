// SPDX-License-Identifier: Apache-2.0
#include "sim/base/markup.h"

#include "sim/base/printable.h"

namespace sassim {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable_lines(text, std::string_view::npos)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

}  // namespace sassim
