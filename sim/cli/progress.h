// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says how far long work is; silent where standard error is no terminal.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "sim/base/types.h"

namespace sassim::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What RunOptions::progress takes; empty when there is no terminal to write to.
  std::function<void(double fraction, Cycle now, std::uint64_t warp_instructions)> observer();
  /// Clears the line.
  void finish();

 private:
  void show(double fraction, Cycle now, std::uint64_t warp_instructions);

  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point began_, last_;
};

}  // namespace sassim::cli
