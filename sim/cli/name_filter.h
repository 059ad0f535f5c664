// SPDX-License-Identifier: Apache-2.0
// A regular expression with which the user chooses names.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "sim/base/error.h"

namespace sassim::cli {

class NameFilter {
 public:
  /// `what`: the option, for the error about an invalid pattern. An empty pattern accepts every name.
  NameFilter(const std::string& pattern, std::string_view what) try {
    if (!pattern.empty()) pattern_.emplace(pattern, std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    throw UsageError("{} '{}' is not a regular expression: {}", what, pattern, error.what());
  }

  /// True if the pattern matches a part of the name.
  bool takes(std::string_view name) const {
    return !pattern_ || std::regex_search(name.begin(), name.end(), *pattern_);
  }

 private:
  std::optional<std::regex> pattern_;
};

}  // namespace sassim::cli
