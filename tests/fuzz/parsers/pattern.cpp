// SPDX-License-Identifier: Apache-2.0
// Patterns.
#include "sim/pattern/pattern.h"

#include <algorithm>

#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_pattern(Bytes input) {
  const std::string_view text = text_of(input);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const Pattern pattern("--kernel", std::string(text.substr(0, end)));
  pattern.matches_in(text.substr(std::min(end + 1, text.size())));
}

const Register pattern_parser("pattern",
                              "A regular expression that a user gave: the first line; the rest is a name to match",
                              read_pattern);

}  // namespace
}  // namespace sassim::fuzz
