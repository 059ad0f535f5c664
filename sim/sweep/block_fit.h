// SPDX-License-Identifier: Apache-2.0
// Sets the occupancy of a sweep's kernel: finds a block size and a size of shared memory with which exactly so many
// warps are resident, as section 5.7 of Volkov's dissertation does.
#pragma once

#include <cstdint>

#include "sim/config/forward.h"

namespace sassim::sweep {

struct BlockFit {
  std::uint32_t warps_per_block = 0, blocks_per_sm = 0;
  std::uint32_t shared_bytes = 0;  ///< per block
};

/// Prefers blocks with one warp for each processing block, else the largest blocks that divide `warps`. Throws
/// UsageError when no size of shared memory limits an SM to that many warps.
BlockFit fit_blocks(const config::GpuConfig& gpu, std::uint32_t warps, std::uint32_t registers);

}  // namespace sassim::sweep
