// SPDX-License-Identifier: Apache-2.0
// What lies in the L2 when a kernel starts, though no kernel brought it there: an input of the launch.
#pragma once

#include <cstdint>

namespace sassim::environment {

/// The whole lines of a range of memory.
struct CacheContents {
  std::uint64_t address = 0, bytes = 0;
  bool dirty = false;  ///< DRAM does not have the data
  /// Ways of a set that such lines may occupy; other lines displace them first. 0: they are like lines of kernels.
  std::uint32_t ways = 0;
};

}  // namespace sassim::environment
