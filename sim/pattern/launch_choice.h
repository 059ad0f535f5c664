// SPDX-License-Identifier: Apache-2.0
// Which launches of a program a user wants: those of some kernels, without the first ones, and not more than a number.
#pragma once

#include <cstddef>
#include <string>

#include "sim/pattern/pattern.h"

namespace sassim {

/// --kernel, --launch-skip and --launch-count.
struct LaunchWish {
  std::string kernel;     ///< a regular expression for the demangled name; empty: every kernel
  std::size_t skip = 0;   ///< of the launches that match
  std::size_t count = 0;  ///< at most; 0: all
};

class LaunchChoice {
 public:
  /// Throws UsageError for a wrong expression.
  explicit LaunchChoice(const LaunchWish& wish) : wish_(wish), kernels_("--kernel", wish.kernel) {}

  bool matches(const std::string& demangled) const { return kernels_.matches_in(demangled); }
  /// Whether the next launch that matches is wanted: call it once for each.
  bool take() {
    const std::size_t place = matching_++;
    return place >= wish_.skip && (wish_.count == 0 || place - wish_.skip < wish_.count);
  }
  /// Launches so far that matched.
  std::size_t matching() const { return matching_; }

 private:
  LaunchWish wish_;
  Pattern kernels_;
  std::size_t matching_ = 0;
};

}  // namespace sassim
