// SPDX-License-Identifier: Apache-2.0
// How often the banked data array is read or written for one warp instruction.
#pragma once

#include <cstdint>
#include <span>

#include "sim/base/types.h"

namespace sassim::arch {

struct BankShape {
  std::uint32_t banks = 32, width = 4;  ///< bytes per bank and pass; at most kMaxBanks
  bool conflicts = true;                ///< false: a group always takes one pass
  static constexpr std::uint32_t kMaxBanks = 128;
};

struct BankPasses {
  std::uint32_t passes = 0;  ///< wavefronts
  std::uint32_t ideal = 0;   ///< wavefronts if no two words shared a bank
  std::uint32_t words = 0;   ///< distinct words, summed over the groups
};

/// The lanes are split into groups so that a group of full accesses fills all banks (32-bit: 32 lanes, 64-bit: 16,
/// 128-bit: 8). A group takes as many passes as the fullest bank has distinct words; lanes on one word share it.
/// `merge`: two neighbouring groups go as one where that costs no further pass, as wide loads from shared memory do (an
/// H200 broadcasts 64-bit words in 1 pass and 128-bit ones in 2; its L1 does not merge).
BankPasses bank_passes(const BankShape& shape, std::span<const std::uint64_t, kWarpSize> addresses, LaneMask lanes,
                       std::uint32_t access_bytes, bool merge = false);

}  // namespace sassim::arch
