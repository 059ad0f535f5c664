// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arch/common/indices.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// Identity and start of a placed warp.
struct WarpPlacement {
  WarpIndex warp;                 ///< number in the processing block
  std::uint32_t place;            ///< place of the thread block on the SM
  std::uint32_t number_in_block;  ///< number of the warp in the thread block
  BlockId block;
  std::uint64_t age;        ///< grows with every placed warp
  std::uint64_t block_age;  ///< grows with every placed thread block
  std::uint32_t local_base_thread;
  LaunchIndex launch = {};  ///< number of the launch in the static code
};

}  // namespace sassim::arch
