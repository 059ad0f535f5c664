// SPDX-License-Identifier: Apache-2.0
// Replays traces on a simulated GPU.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "arch/gpu.h"
#include "sim/report/result.h"

namespace sassim::study {

/// A report with the GPU and the caches' start, and without kernels.
report::RunReport report_of(const config::GpuConfig& config, const std::string& caches);

/// Replays the kernels one after the other as one application, and passes each report to `sink`. Throws InputError
/// before the start if a kernel has more warp instructions than can be simulated, unless `options` limits the cycles.
void run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
         const arch::RunOptions& options, const std::function<void(report::KernelReport)>& sink);

/// The same, with the reports of all kernels as the result.
report::RunReport run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
                      const arch::RunOptions& options);

}  // namespace sassim::study
