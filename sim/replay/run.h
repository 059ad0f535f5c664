// SPDX-License-Identifier: Apache-2.0
// Replays traces on a simulated GPU.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/replay/checkpoint.h"
#include "sim/report/result.h"

namespace sassim::replay {

/// A report with the GPU and the caches' start, and without kernels.
report::RunReport report_of(const config::GpuConfig& config, const std::string& caches);

/// By its name on the command line: cold, warm or keep.
arch::CacheStart cache_start(const std::string& name);

/// Checkpoints of a run.
struct CheckpointPlan {
  CheckpointKey key;
  /// Takes each checkpoint, as often as RunOptions::checkpoint_every says, and may keep its state; may be empty.
  std::function<void(Checkpoint&)> write;
  const Checkpoint* resume = nullptr;  ///< where the run begins; nullptr: with the first kernel
};

/// Throws InputError if a kernel has more warp instructions than can be simulated.
void check_lengths(const std::vector<std::shared_ptr<trace::BlockSource>>& kernels);

/// The report of one launch, with what a reader should know about its trace.
report::KernelReport launch_report(const trace::BlockSource& source, const arch::KernelResult& result,
                                   const config::GpuConfig& config);

/// The key of a run. `version`: of the command, with its commit.
CheckpointKey checkpoint_key(const std::string& version, const config::GpuConfig& config, const std::string& caches,
                             const std::vector<std::shared_ptr<trace::BlockSource>>& kernels);

/// Replays the kernels one after the other as one application, and passes each report to `sink`. Throws InputError
/// before the start if a kernel has more warp instructions than can be simulated, unless `options` limits the cycles.
/// With a `plan` the results are the same; of kernels that were done when a checkpoint was made, `sink` gets the report
/// in the checkpoint. `reuse`: Gpu::reuse_results().
void run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
         const arch::RunOptions& options, const std::function<void(report::KernelReport)>& sink,
         const CheckpointPlan* plan = nullptr, bool reuse = false);

/// The same, with the reports of all kernels as the result.
report::RunReport run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
                      const arch::RunOptions& options);

}  // namespace sassim::replay
