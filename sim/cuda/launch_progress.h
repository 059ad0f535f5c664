// SPDX-License-Identifier: Apache-2.0
// The progress of a launch, for a user who watches a program under `sassim exec`.
#pragma once

#include <filesystem>
#include <string>

#include "sim/replay/progress.h"

namespace sassim::cuda {

/// Lives as long as a launch runs. A few times per second it draws a line on standard error, if that is a terminal and
/// the command requested it, and writes a file `progress-PROCESS` to the session folder (replay::work_line()). The
/// command reads this file when it is asked for a snapshot, and when the launch was stopped. Short launches write
/// nothing.
class LaunchProgress {
 public:
  struct Watchers {
    std::string session;  ///< the folder; empty: no user watches
    bool line = false;    ///< draw the line
    bool mangled = false;
  };
  /// `number`: of the launch, from 1.
  LaunchProgress(const Watchers& watchers, const std::string& process, const std::string& kernel, std::size_t number);
  ~LaunchProgress();
  LaunchProgress(const LaunchProgress&) = delete;
  LaunchProgress& operator=(const LaunchProgress&) = delete;

  /// The emulator has executed this many warp instructions.
  void recording(std::uint64_t warp_instructions);
  /// From now on the model times a trace with this many warp instructions.
  void timing(std::uint64_t all_warp_instructions);
  void look(const arch::KernelProgress& kernel);

 private:
  void tell();

  std::filesystem::path file_;  ///< empty: no file
  bool line_wanted_, written_ = false;
  replay::WorkDone work_;
  replay::ProgressLine line_;
  replay::Interval reports_{std::chrono::milliseconds(250)};
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace sassim::cuda
