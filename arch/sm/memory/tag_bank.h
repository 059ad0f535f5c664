// SPDX-License-Identifier: Apache-2.0
// The bank of the L1's tags that a line belongs to: each bit of its number is the parity of some bits of the line's.
#pragma once

#include <bit>
#include <cstdint>
#include <iterator>

namespace sassim::arch {

/// The first two masks are an H200's (which two lines of a load take two cycles: validation/hardware/h200/l1-tags.md),
/// those for more than four banks are assumed.
inline std::uint32_t tag_bank(std::uint64_t line, std::uint32_t banks) {
  constexpr std::uint64_t kMasks[] = {0xb7ab5, 0x1ed5da, 0x2a94, 0x1332, 0x3c58};
  std::uint32_t bank = 0;
  for (std::uint32_t bit = 0; bit < std::size(kMasks); ++bit)
    bank |= static_cast<std::uint32_t>(std::popcount(line & kMasks[bit]) & 1) << bit;
  return bank % banks;
}

}  // namespace sassim::arch
