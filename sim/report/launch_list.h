// SPDX-License-Identifier: Apache-2.0
// Several launches: a line for each, and their sums.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "sim/report/result.h"
#include "sim/report/terminal.h"

namespace sassim::report {

class LaunchList {
 public:
  explicit LaunchList(const TerminalOptions& options) : options_(options) {}
  std::string head() const;
  std::string line(const KernelReport& kernel);
  std::string totals() const;

 private:
  double not_counted(const BesideReport& beside);

  TerminalOptions options_;
  std::size_t launches_ = 0;
  std::set<std::string> told_;               ///< notes: what many launches have in common is said once
  std::uint64_t group_ = 0, group_end_ = 0;  ///< of the kernel before, if it ran beside others
  double cycles_ = 0, nanoseconds_ = 0, instructions_ = 0;
};

}  // namespace sassim::report
