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

/// Of a run on several processes.
struct JobsProgress {
  std::string kernel;             ///< the next one in order; empty: it has done nothing yet
  arch::KernelProgress progress;  ///< of that kernel
  std::uint64_t beside = 0;       ///< warp instructions of kernels behind it
};

struct Jobs {
  unsigned count = 1;  ///< processes
  bool reuse = false;  ///< as of run()
  /// Called between reports, a few dozen times per second. An exception from it ends the run and the processes.
  std::function<void(const JobsProgress&)> look;
};

/// The same as run() without a plan, on several processes with a GPU each. For kernels that find cold caches, which are
/// independent of each other, and without observers. What `sink` gets, and the errors, are those of run(), in the order
/// of the kernels; a process that was killed is an Error in the place of its kernel. This process must have one thread.
void run_jobs(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
              const arch::RunOptions& options, const std::function<void(report::KernelReport)>& sink, const Jobs& jobs);

/// The same as run(), with the reports of all kernels as the result.
report::RunReport run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
                      const arch::RunOptions& options);

}  // namespace sassim::replay
