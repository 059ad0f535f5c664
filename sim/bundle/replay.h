// SPDX-License-Identifier: Apache-2.0
// Runs what a bundle says.
#pragma once

#include <functional>
#include <string>

#include "arch/gpu.h"
#include "sim/bundle/bundle.h"
#include "sim/config/loader.h"

namespace sassim::bundle {

struct Totals {
  std::size_t kernels = 0;
  std::uint64_t cycles = 0, warp_instructions = 0;
};

/// The GPU that the recipe describes. Throws InputError, starting with `place`, also for a configuration that builds on
/// other files.
config::GpuConfig gpu_of(const Recipe& recipe, const std::string& place, const config::KnownNames& known);

/// Replays the traces and writes the result as `sassim run --json` does. `progress` may throw.
Totals replay(const config::GpuConfig& gpu, const Recipe& recipe, unsigned threads,
              std::function<void(double fraction, Cycle now, std::uint64_t warp_instructions)> progress,
              const std::filesystem::path& result);

}  // namespace sassim::bundle
