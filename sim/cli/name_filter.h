// SPDX-License-Identifier: Apache-2.0
// A regular expression that the user gave to choose names.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "sim/base/error.h"

namespace sassim::cli {

class NameFilter {
 public:
  /// `what` names the option in the error for a pattern that is none. No pattern takes every name.
  NameFilter(const std::string& pattern, std::string_view what) try {
    if (!pattern.empty()) pattern_.emplace(pattern, std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    throw UsageError("{} '{}' is not a regular expression: {}", what, pattern, error.what());
  }

  /// A part of the name matches.
  bool takes(std::string_view name) const {
    return !pattern_ || std::regex_search(name.begin(), name.end(), *pattern_);
  }

 private:
  std::optional<std::regex> pattern_;
};

}  // namespace sassim::cli
