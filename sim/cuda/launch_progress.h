// SPDX-License-Identifier: Apache-2.0
// How far a launch is, for who watches a program under `sassim exec`.
#pragma once

#include <filesystem>
#include <string>

#include "sim/study/progress.h"

namespace sassim::cuda {

/// While it lives, a launch runs. A few times per second it draws a line on standard error, if that is a terminal and
/// the command asked for it, and writes a file `progress-PROCESS` in the session's folder, which the command prints
/// when somebody asks it for a snapshot. Short launches leave no trace of it.
class LaunchProgress {
 public:
  /// An empty folder: nobody asks. `number`: of the launch, from 1.
  LaunchProgress(const std::string& session, const std::string& process, const std::string& kernel, std::size_t number,
                 bool line);
  ~LaunchProgress();
  LaunchProgress(const LaunchProgress&) = delete;
  LaunchProgress& operator=(const LaunchProgress&) = delete;

  /// The emulator has executed so many warp instructions.
  void recording(std::uint64_t warp_instructions);
  /// From here on the model times a trace of so many.
  void timing(std::uint64_t all_warp_instructions);
  void look(const arch::KernelProgress& kernel);

 private:
  void tell();

  std::filesystem::path file_;  ///< empty: none
  bool line_wanted_, written_ = false;
  study::WorkDone work_;
  study::ProgressLine line_;
  study::Interval tellings_{std::chrono::milliseconds(250)};
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace sassim::cuda
