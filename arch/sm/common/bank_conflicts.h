// SPDX-License-Identifier: Apache-2.0
// How many passes of the banked data array one warp instruction needs.
#pragma once

#include <cstdint>
#include <span>

#include "sim/base/types.h"

namespace sassim::arch {

struct BankShape {
  std::uint32_t banks = 32, width = 4;  ///< width in bytes per bank and pass; at most kMaxBanks banks
  bool conflicts = true;                ///< false: a group of lanes always takes one pass
  static constexpr std::uint32_t kMaxBanks = 128;
};

struct BankPasses {
  std::uint32_t passes = 0;  ///< passes of the data stage ("wavefronts" in Nsight Compute)
  std::uint32_t ideal = 0;   ///< passes if no two different words shared a bank
  std::uint32_t words = 0;   ///< distinct words, summed over the groups
  std::uint32_t groups = 0;  ///< groups of lanes, also those without an active lane
};

/// Whether all lanes are active and their accesses are contiguous: the common case, always without conflicts.
bool side_by_side(std::span<const std::uint64_t, kWarpSize> addresses, LaneMask lanes, std::uint32_t bytes);

/// The lanes are split into groups such that the accesses of one group fill all banks (32-bit accesses: 32 lanes,
/// 64-bit: 16, 128-bit: 8). A group takes as many passes as its fullest bank has distinct words; lanes that access the
/// same word share it. `merge`: two neighbouring groups form one if each lane i has the address of lane i xor 1, or
/// each that of lane i xor 2, where both are active. Wide loads from shared memory do this, stores do not: 2233
/// patterns on an H100 (validation/measured/h200/shared-memory.md#shared-memory). The L1 does not.
BankPasses bank_passes(const BankShape& shape, std::span<const std::uint64_t, kWarpSize> addresses, LaneMask lanes,
                       std::uint32_t access_bytes, bool merge = false);

}  // namespace sassim::arch
