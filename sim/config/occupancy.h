// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel fit an SM, and what stops one more.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/config/gpu_config.h"

namespace sassim::config {

struct BlockNeeds {
  std::uint32_t threads = 1;
  std::uint32_t registers_per_thread = 0;
  std::uint64_t shared_bytes = 0;  ///< static and dynamic
};

enum class Limiter : std::uint8_t { blocks, warps, threads, registers, shared_memory };
/// With the keys that decide it.
std::string_view limiter_name(Limiter);

struct OccupancyResult {
  std::uint32_t blocks = 0;  ///< per SM; 0: a block can never fit
  /// How many blocks each resource has room for on its own; the largest number where a block needs none of it.
  std::uint32_t by_blocks = 0, by_warps = 0, by_registers = 0;
  Limiter limiter = Limiter::blocks;
  std::uint32_t warps_per_block = 0;
  std::uint32_t registers_per_block = 0;  ///< as allocated
  std::uint64_t shared_per_block = 0;     ///< as allocated, the system's part included
  std::uint64_t carveout = 0;             ///< the shared memory that the SM is split for
};

/// `preferred_carveout` in bytes, or all ones for the driver's choice: the smallest carve-out that does not lower the
/// number of blocks.
OccupancyResult occupancy(const Occupancy& limits, const BlockNeeds& needs, std::uint64_t preferred_carveout = ~0ull);

}  // namespace sassim::config
