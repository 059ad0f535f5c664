// SPDX-License-Identifier: Apache-2.0
// When the lines of constants that an SM's first warps ask for are looked up in the cache that the SMs of a GPC share.
#pragma once

#include <array>
#include <cstdint>

namespace sassim::arch {

constexpr std::uint32_t kConstantTurn = 4;  ///< lines: one for each processing block

/// The SMs that take turns, and which of them one is.
struct ConstantSharing {
  std::uint32_t interval = 1;  ///< cycles for each line
  std::uint32_t skew = 0;      ///< cycles from one pair of SMs to the next
  std::uint32_t pairs = 1, pair = 0;
  bool second = false;  ///< of its pair
};

/// Cycles from the first request. The pairs take turns line by line, as far as they have asked: an early one has most of
/// its lines before the others come. In a pair, the second SM comes after the first, whose own constants are among its.
std::array<std::uint32_t, kConstantTurn> first_constants(const ConstantSharing& sharing);

}  // namespace sassim::arch
