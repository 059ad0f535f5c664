// SPDX-License-Identifier: Apache-2.0
// When the lines of constants that an SM's first warps ask for are looked up in the cache that the SMs of a GPC share.
#pragma once

#include <array>
#include <cstdint>

namespace sassim::arch {

constexpr std::uint32_t kConstantTurn = 4;  ///< lines: one for each processing block

/// The SMs that take turns, and the place of one SM among them.
struct ConstantSharing {
  std::uint32_t interval = 1;  ///< cycles for each line
  std::uint32_t skew = 0;      ///< cycles from one pair of SMs to the next
  std::uint32_t pairs = 1, pair = 0;
  bool second = false;  ///< the second SM of its pair
};

/// Cycles from the first request to each of an SM's lines. Pairs of SMs that have sent requests take turns line by
/// line, so an early pair gets most of its lines before other pairs begin. Within a pair the first SM is served first;
/// its line for the load/store unit is served among the second SM's lines.
std::array<std::uint32_t, kConstantTurn> first_constants(const ConstantSharing& sharing);

}  // namespace sassim::arch
