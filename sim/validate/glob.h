// SPDX-License-Identifier: Apache-2.0
// Patterns with `*`, for ids of validation rows.
#pragma once

#include <string_view>

namespace sassim::validate {

/// `*` in the pattern matches any number of characters, also none. The time is at most the product of both lengths:
/// only the last `*` ever takes more characters, because what an earlier one matched stays the best choice.
constexpr bool matches_glob(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = 0, behind_star = kNone, star_end = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      behind_star = ++at;
      star_end = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (behind_star != kNone) {
      at = behind_star;
      i = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == kNone;
}

}  // namespace sassim::validate
