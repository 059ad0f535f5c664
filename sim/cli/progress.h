// SPDX-License-Identifier: Apache-2.0
// Looks after signals and the terminal while a simulation runs.
#pragma once

#include "sim/study/progress.h"
#include "sim/study/stop_signals.h"

namespace sassim::cli {

/// Thrown out of a simulation when a signal asks for a stop.
struct Stopped {};

/// Called between epochs, where everything of the simulation is at rest; it does something a few times per second.
class Watch {
 public:
  explicit Watch(study::StopSignals& signals) : signals_(signals) {}

  /// Shows how far the run is, and answers SIGUSR1. Throws Stopped.
  void look(const study::RunProgress& run, const arch::KernelProgress& kernel);
  /// Throws Stopped: also a run of kernels too short to be looked at can be stopped.
  void kernel_done();
  /// Clears the line on the terminal.
  void finish() { line_.clear(); }

 private:
  study::StopSignals& signals_;
  study::ProgressLine line_;
  study::Interval looks_{std::chrono::milliseconds(20)}, lines_{std::chrono::milliseconds(200)};
};

/// What SIGUSR1 gets, on standard error.
void print_snapshot(const std::string& text);

}  // namespace sassim::cli
