// SPDX-License-Identifier: Apache-2.0
// Replays traces on a simulated GPU.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "arch/gpu.h"
#include "sim/report/result.h"

namespace sassim::study {

/// Which GPU, and what its caches hold at a kernel's start; no kernels yet.
report::RunReport report_of(const config::GpuConfig& config, const std::string& caches);

/// The kernels one after the other, as one application on one GPU; each is handed to `sink` when it is done. Throws
/// InputError, before anything runs, for a kernel of more warp instructions than can be simulated, unless `options`
/// limits its cycles.
void run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
         const arch::RunOptions& options, const std::function<void(report::KernelReport)>& sink);

/// The same, all of them at once.
report::RunReport run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
                      const arch::RunOptions& options);

}  // namespace sassim::study
