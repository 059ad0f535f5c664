// SPDX-License-Identifier: Apache-2.0
// Runs between the epochs of a simulation: draws progress, answers SIGUSR1, stops it at Ctrl-C.
#include "sim/cli/progress.h"

#include "sim/cli/standard_streams.h"

namespace sassim::cli {

void Watch::look(const replay::RunProgress& run, const arch::KernelProgress& kernel) {
  if (!looks_.over()) return;
  if (signals_.poll() != 0) throw Stopped{};
  const bool asked = signals_.take_snapshot_request();
  if (asked) {
    line_.clear();
    print_snapshot(replay::snapshot_text(run.now(kernel)));
  }
  if (lines_.over() || asked) line_.show(replay::progress_line(run.now(kernel)));
}

void Watch::kernel_done() {
  line_.clear();
  if (signals_.poll() != 0) throw Stopped{};
}

void print_snapshot(const std::string& text) { say(("sassim: " + text).c_str()); }

}  // namespace sassim::cli
