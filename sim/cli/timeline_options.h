// SPDX-License-Identifier: Apache-2.0
// --timeline, --konata and --vcd: events over time, for viewers of timelines, pipelines and waveforms.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "arch/sm/common/observer_pair.h"
#include "sim/base/output_target.h"
#include "sim/config/forward.h"
#include "sim/timeline/konata.h"
#include "sim/timeline/recorder.h"

namespace CLI {
class App;
}

namespace sassim::cli {

struct TimelineOptions {
  std::string timeline, konata, vcd;         ///< files; empty: not asked for
  std::string window, sms, warps, counters;  ///< what the files show, as the user wrote it; empty: the default
  std::optional<std::uint32_t> vcd_sm;
  std::optional<std::uint64_t> interval, spans;
  std::uint64_t instructions = 100'000;

  void add_to(CLI::App& command);
  /// Throws UsageError for an option that chooses what a file shows when no such file was asked for.
  void check() const;
  /// For check_outputs().
  std::vector<NamedFile> files() const { return {{"--timeline", timeline}, {"--konata", konata}, {"--vcd", vcd}}; }
};

/// Records a run for the requested files.
class TimelineOutput {
 public:
  /// Throws UsageError for an invalid window, SM, warp or counter, and for an option without its file.
  TimelineOutput(const TimelineOptions& options, const config::GpuConfig& gpu);

  /// Makes the run report what the files need; nothing if there are no files. `run` must not live longer than this
  /// object.
  void watch(arch::RunOptions& run);
  /// Call it after the run, even if it was stopped, with the cycle at which it ended. The VCD is complete when the Gpu
  /// has been destroyed.
  void finish(Cycle end);

 private:
  /// True if the run ended before the window began, which a line on standard error then says.
  bool ended_before_window(Cycle end) const;

  const TimelineOptions& options_;
  const config::GpuConfig& gpu_;
  Cycle window_start_;
  std::unique_ptr<timeline::Recorder> recorder_;
  std::unique_ptr<timeline::PipelineLog> pipeline_;
  std::optional<arch::ObserverPair> both_;
  std::optional<arch::SignalFile> signals_;
  std::vector<stats::Count> counters_;  ///< over time
};

}  // namespace sassim::cli
