// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel fit on an SM, and what limits their number.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/config/forward.h"

namespace sassim::config {

struct BlockNeeds {
  std::uint32_t threads = 1;
  std::uint32_t registers_per_thread = 0;
  std::uint64_t shared_bytes = 0;  ///< static and dynamic shared memory
};

enum class Limiter : std::uint8_t { blocks, warps, threads, registers, shared_memory };
/// The limiter with the keys that set it.
std::string_view limiter_name(Limiter);

struct OccupancyResult {
  std::uint32_t blocks = 0;  ///< per SM; 0: not even one block fits
  /// The number of blocks that each resource allows; the largest number if a block does not use it.
  std::uint32_t by_blocks = 0, by_warps = 0, by_registers = 0;
  Limiter limiter = Limiter::blocks;
  std::uint32_t warps_per_block = 0;
  std::uint32_t registers_per_block = 0;  ///< rounded up as the hardware allocates them
  std::uint64_t shared_per_block = 0;     ///< rounded up, with the system's part
  std::uint64_t carveout = 0;             ///< bytes of the array that are used as shared memory
};

/// `preferred_carveout`: bytes, or all ones for the driver's choice, which is the smallest carve-out that does not
/// reduce the number of blocks.
OccupancyResult occupancy(const Occupancy& limits, const BlockNeeds& needs, std::uint64_t preferred_carveout = ~0ull);

}  // namespace sassim::config
