// SPDX-License-Identifier: Apache-2.0
// The bank of the L1's tags to which a line belongs: each bit of the bank's number is the parity of some bits of the
// line's number.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/base/error.h"

namespace sassim::arch {

class TagBanks {
 public:
  static constexpr std::size_t kMostMasks = 16;

  TagBanks() = default;
  /// `masks`: for each bit of the bank's number, the bits of the line's number whose parity it is.
  TagBanks(const std::vector<std::uint64_t>& masks, std::uint32_t banks) : banks_(banks) {
    if (masks.size() > kMostMasks)
      throw InputError("sm.l1.tag_masks has {} masks: expected at most {}", masks.size(), kMostMasks);
    for (const std::uint64_t mask : masks) {
      if (std::has_single_bit(banks) && 1ull << count_ == banks) break;  // further bits have no effect
      masks_[count_++] = mask;
    }
  }
  std::uint32_t operator()(std::uint64_t line) const {
    std::uint32_t bank = 0;
    for (std::uint32_t bit = 0; bit < count_; ++bit)
      bank |= static_cast<std::uint32_t>(std::popcount(line & masks_[bit]) & 1) << bit;
    return bank < banks_ ? bank : bank % banks_;
  }

 private:
  std::array<std::uint64_t, kMostMasks> masks_{};
  std::uint32_t count_ = 0, banks_ = 1;
};

}  // namespace sassim::arch
