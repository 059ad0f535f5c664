// SPDX-License-Identifier: Apache-2.0
// Handles signals and the progress line while a simulation runs.
#pragma once

#include "sim/base/stop_signals.h"
#include "sim/replay/progress.h"

namespace sassim::cli {

/// Leaves a simulation when a signal asks for a stop.
struct Stopped {};

/// Called between epochs, when no part of the simulation is running; it acts a few times per second.
class Watch {
 public:
  explicit Watch(StopSignals& signals) : signals_(signals) {}

  /// Shows the progress and answers SIGUSR1. Throws Stopped.
  void look(const replay::RunProgress& run, const arch::KernelProgress& kernel);
  /// Throws Stopped, so that a run of very short kernels can be stopped too.
  void kernel_done();
  /// Removes the line from the terminal.
  void finish() { line_.clear(); }

 private:
  StopSignals& signals_;
  replay::ProgressLine line_;
  replay::Interval looks_{std::chrono::milliseconds(20)}, lines_{std::chrono::milliseconds(200)};
};

/// Answers SIGUSR1 on standard error.
void print_snapshot(const std::string& text);

}  // namespace sassim::cli
