// SPDX-License-Identifier: Apache-2.0
// --timeline, --konata and --vcd: what happened when, for viewers of timelines, pipelines and waveforms.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/gpu.h"
#include "arch/sm/observer_pair.h"
#include "sim/base/output_target.h"
#include "sim/config/gpu_config.h"
#include "sim/timeline/konata.h"
#include "sim/timeline/recorder.h"

namespace CLI {
class App;
}

namespace sassim::cli {

struct TimelineOptions {
  std::string timeline, konata, vcd;
  std::string window, sms, warps;
  std::optional<std::uint32_t> vcd_sm;
  std::uint64_t interval = 0, spans = 200'000, instructions = 100'000;

  void add_to(CLI::App& command);
  /// For check_outputs().
  std::vector<NamedFile> files() const { return {{"--timeline", timeline}, {"--konata", konata}, {"--vcd", vcd}}; }
};

/// Watches a run for the files that were asked for.
class TimelineOutput {
 public:
  /// Throws UsageError for a window, SM or warp that cannot be.
  TimelineOutput(const TimelineOptions& options, const config::GpuConfig& gpu);

  /// Makes the run tell what the files need; nothing when there are none. `run` must not outlive this.
  void watch(arch::RunOptions& run);
  /// After the run, whole or not. The VCD is complete when the Gpu is gone.
  void finish();

 private:
  const TimelineOptions& options_;
  const config::GpuConfig& gpu_;
  std::unique_ptr<timeline::Recorder> recorder_;
  std::unique_ptr<timeline::PipelineLog> pipeline_;
  std::optional<arch::ObserverPair> both_;
  std::optional<arch::SignalFile> signals_;
};

}  // namespace sassim::cli
