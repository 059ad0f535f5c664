// SPDX-License-Identifier: Apache-2.0
// Runs what a bundle says.
#pragma once

#include <functional>
#include <string>

#include "arch/gpu.h"
#include "sim/bundle/bundle.h"
#include "sim/config/loader.h"
#include "sim/study/progress.h"

namespace sassim::bundle {

struct Totals {
  std::size_t kernels = 0;
  std::uint64_t cycles = 0, warp_instructions = 0;
};

/// The GPU that the recipe describes. Throws InputError, starting with `place`, also for a configuration that builds on
/// other files.
config::GpuConfig gpu_of(const Recipe& recipe, const std::string& place, const config::KnownNames& known);

/// Who watches a replay; both may throw, which ends it.
struct ReplayWatch {
  std::function<void(const study::RunProgress&, const arch::KernelProgress&)> look;  ///< between epochs
  std::function<void()> kernel_done;
};

/// Replays the traces and writes the result as `sassim run --json` does.
Totals replay(const config::GpuConfig& gpu, const Recipe& recipe, unsigned threads, const ReplayWatch& watch,
              const std::filesystem::path& result);

}  // namespace sassim::bundle
