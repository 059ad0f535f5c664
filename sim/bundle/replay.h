// SPDX-License-Identifier: Apache-2.0
// Simulates the traces of a bundle, when `sassim bundle` makes it and when `sassim reproduce` checks it.
#pragma once

#include <functional>
#include <string>

#include "arch/gpu/gpu.h"
#include "sim/bundle/bundle.h"
#include "sim/config/loader.h"
#include "sim/replay/progress.h"

namespace sassim::bundle {

struct Totals {
  std::size_t kernels = 0;
  std::uint64_t cycles = 0, warp_instructions = 0;
};

/// The GPU of the recipe. Throws InputError that begins with `place`; also for a configuration that refers to other
/// files.
config::GpuConfig gpu_of(const Recipe& recipe, const std::string& place, const config::KnownNames& known);

/// Callbacks during a replay; each may throw, which ends the replay.
struct ReplayWatch {
  std::function<void(const replay::RunProgress&, const arch::KernelProgress&)> look;  ///< called between epochs
  std::function<void()> kernel_done;
};

/// Replays the traces and writes the result as `sassim run --json` does.
Totals replay(const config::GpuConfig& gpu, const Recipe& recipe, unsigned threads, const ReplayWatch& watch,
              const std::filesystem::path& result);

}  // namespace sassim::bundle
