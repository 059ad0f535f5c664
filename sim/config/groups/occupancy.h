// SPDX-License-Identifier: Apache-2.0
// Configuration of what an SM can hold, and how fast blocks come to it. fields_sm.cpp says what each member means.
#pragma once

#include <cstdint>
#include <vector>

namespace sassim::config {

/// The limits on the number of blocks per SM.
struct Occupancy {
  std::uint32_t warps = 64, blocks = 32, threads = 2048;
  std::uint32_t registers = 65536;
  std::uint32_t register_unit = 256;
  std::uint32_t warp_unit = 4;
  std::uint64_t shared_unit = 256;
  std::uint64_t shared_reserved = 0;
  std::uint64_t shared_per_block = 98304;
  std::vector<std::uint64_t> carveouts{0, 8192, 16384, 32768, 65536, 98304};
  std::uint32_t carveout_room = 1;
  std::uint32_t block_replacement_delay = 0;
  std::uint32_t warp_interval = 0;
  std::uint32_t warp_start = 0;
};

}  // namespace sassim::config
