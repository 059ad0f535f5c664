// SPDX-License-Identifier: Apache-2.0
// --timeline, --konata and --vcd: events over time, for viewers of timelines, pipelines and waveforms.
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

/// Records a run for the requested files.
class TimelineOutput {
 public:
  /// Throws UsageError for an invalid window, SM or warp.
  TimelineOutput(const TimelineOptions& options, const config::GpuConfig& gpu);

  /// Makes the run report what the files need; nothing if there are no files. `run` must not live longer than this
  /// object.
  void watch(arch::RunOptions& run);
  /// Call it after the run, even if it was stopped. The VCD is complete when the Gpu has been destroyed.
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
