// SPDX-License-Identifier: Apache-2.0
// Replays traces on a simulated GPU.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "arch/gpu.h"
#include "sim/report/result.h"
#include "sim/study/checkpoint.h"

namespace sassim::study {

/// Which GPU, and what its caches hold at a kernel's start; no kernels yet.
report::RunReport report_of(const config::GpuConfig& config, const std::string& caches);

/// Checkpoints of a run.
struct CheckpointPlan {
  CheckpointKey key;
  /// Takes each checkpoint, as often as RunOptions::checkpoint_every says; may be empty.
  std::function<void(const Checkpoint&)> write;
  const Checkpoint* resume = nullptr;  ///< where the run begins; nullptr: with the first kernel
};

/// The key of a run. `version`: of the command, with its commit.
CheckpointKey checkpoint_key(const std::string& version, const config::GpuConfig& config, const std::string& caches,
                             const std::vector<std::shared_ptr<trace::BlockSource>>& kernels);

/// The kernels one after the other, as one application on one GPU; each is handed to `sink` when it is done. Throws
/// InputError, before anything runs, for a kernel of more warp instructions than can be simulated, unless `options`
/// limits its cycles. With a `plan` the results are the same; of kernels that were done when a checkpoint was made,
/// `sink` gets the report that is in it.
void run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
         const arch::RunOptions& options, const std::function<void(report::KernelReport)>& sink,
         const CheckpointPlan* plan = nullptr);

/// The same, all of them at once.
report::RunReport run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
                      const arch::RunOptions& options);

}  // namespace sassim::study
