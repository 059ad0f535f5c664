// SPDX-License-Identifier: Apache-2.0
// The report of a run with several launches: a line for each, and their sums.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "sim/report/result.h"
#include "sim/report/terminal.h"

namespace sassim::report {

/// Sums over launches. Of kernels side by side the time in which some ran counts once.
class LaunchTotals {
 public:
  void add(const KernelReport& kernel);
  std::size_t launches() const { return launches_; }
  double cycles() const { return cycles_; }
  double nanoseconds() const { return nanoseconds_; }
  double instructions() const { return instructions_; }

 private:
  double not_counted(const BesideReport& beside);

  std::size_t launches_ = 0;
  std::uint64_t group_ = 0, group_end_ = 0;  ///< of the kernel before, if it ran beside others
  double cycles_ = 0, nanoseconds_ = 0, instructions_ = 0;
};

class LaunchList {
 public:
  explicit LaunchList(const TerminalOptions& options) : options_(options) {}
  std::string head() const;
  std::string line(const KernelReport& kernel);
  std::string totals() const;

 private:
  TerminalOptions options_;
  LaunchTotals totals_;
  std::set<std::string> told_;  ///< notes: what many launches have in common is said once
};

}  // namespace sassim::report
