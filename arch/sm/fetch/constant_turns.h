// SPDX-License-Identifier: Apache-2.0
// Computes when the lines of constants that an SM requests first are looked up in the cache that the SMs of a GPC
// share.
#pragma once

#include <array>
#include <cstdint>

namespace sassim::arch {

constexpr std::uint32_t kConstantTurn = 4;  ///< lines per SM: one for each processing block

/// The SMs that take turns, and the position of one SM among them.
struct ConstantSharing {
  std::uint32_t interval = 1;  ///< cycles per line
  std::uint32_t skew = 0;      ///< cycles from the first request of one pair of SMs to that of the next pair
  std::uint32_t pairs = 1, pair = 0;
  bool second = false;  ///< true for the second SM of its pair
};

/// Cycles from the first request until each of an SM's lines is looked up. Pairs of SMs that have sent requests take
/// turns line by line, so an early pair gets most of its lines before other pairs start. In a pair the first SM comes
/// first; its line for the load/store unit comes among the lines of the second SM.
std::array<std::uint32_t, kConstantTurn> first_constants(const ConstantSharing& sharing);

}  // namespace sassim::arch
