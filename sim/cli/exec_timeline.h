// SPDX-License-Identifier: Apache-2.0
// --timeline, --konata and --vcd of `sassim exec`: the launches of the program, replayed one after the other.
#pragma once

#include <exception>
#include <filesystem>
#include <string>

#include "sim/base/stop_signals.h"
#include "sim/cli/timeline_options.h"
#include "sim/pattern/launch_choice.h"
#include "sim/session/execute.h"

namespace sassim::cli {

/// Records a replay of a program's launches. The program's processes have no observers: they are the program's own, and
/// a file of one of them would not know the others.
class ExecTimeline {
 public:
  /// `wish`: the launches that are replayed. Throws UsageError as TimelineOutput does, and if the program is not timed.
  ExecTimeline(const TimelineOptions& options, const config::GpuConfig& gpu, LaunchWish wish,
               const session::ExecuteOptions& program);

  /// Makes `program` hand over its traces when it has ended; nothing if there are no files to write.
  void follow(session::ExecuteOptions& program, StopSignals& signals);
  /// After the program's results are written: a line for the user, empty if there are no files. Throws what went wrong.
  std::string told() const;

 private:
  void replay(const std::filesystem::path& traces, StopSignals& signals);

  const config::GpuConfig& gpu_;
  LaunchWish wish_;
  arch::RunOptions run_;
  TimelineOutput output_;
  bool wanted_ = false;
  std::string line_;
  std::exception_ptr failure_;
};

}  // namespace sassim::cli
