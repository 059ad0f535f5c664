// SPDX-License-Identifier: Apache-2.0
// Several launches: a line for each, and their sums.
#pragma once

#include <cstddef>
#include <string>

#include "sim/report/result.h"
#include "sim/report/terminal.h"

namespace sassim::report {

class LaunchList {
 public:
  explicit LaunchList(const TerminalOptions& options) : options_(options) {}
  static std::string head();
  std::string line(const KernelReport& kernel);
  std::string totals() const;

 private:
  TerminalOptions options_;
  std::size_t launches_ = 0;
  double cycles_ = 0, nanoseconds_ = 0, instructions_ = 0;
};

}  // namespace sassim::report
