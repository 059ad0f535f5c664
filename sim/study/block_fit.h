// SPDX-License-Identifier: Apache-2.0
// Occupancy on demand: block size and shared memory such that exactly so many warps are resident (Volkov, section 5.7).
#pragma once

#include <cstdint>

#include "sim/config/gpu_config.h"

namespace sassim::study {

struct BlockFit {
  std::uint32_t warps_per_block = 0, blocks_per_sm = 0;
  std::uint32_t shared_bytes = 0;  ///< per block
};

/// Blocks with a warp for each processing block where `warps` allows, else the largest that fit. Throws UsageError when
/// shared memory cannot hold an SM at that many warps.
BlockFit fit_blocks(const config::GpuConfig& gpu, std::uint32_t warps, std::uint32_t registers);

}  // namespace sassim::study
