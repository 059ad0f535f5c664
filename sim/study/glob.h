// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sassim::study {

/// `*` in the pattern matches any number of characters, also none.
constexpr bool matches_glob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*')
    return !text.empty() && pattern.front() == text.front() && matches_glob(pattern.substr(1), text.substr(1));
  for (std::size_t skipped = 0; skipped <= text.size(); ++skipped)
    if (matches_glob(pattern.substr(1), text.substr(skipped))) return true;
  return false;
}

}  // namespace sassim::study
