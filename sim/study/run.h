// SPDX-License-Identifier: Apache-2.0
// Replays traces on a simulated GPU.
#pragma once

#include <memory>
#include <vector>

#include "arch/gpu.h"
#include "sim/report/result.h"

namespace sassim::study {

/// Throws InputError, before anything runs, for a kernel of more warp instructions than can be simulated, unless
/// `options` limits its cycles. The kernels one after the other, as one application on one GPU.
report::RunReport run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
                      const arch::RunOptions& options);

}  // namespace sassim::study
