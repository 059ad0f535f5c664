// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/common/bank_conflicts.h"

#include <algorithm>
#include <array>
#include <bit>

namespace sassim::arch {

namespace {

/// The distinct words of one group of lanes, as a list per bank.
class BankGroup {
 public:
  explicit BankGroup(std::uint32_t banks) : banks_(banks), mask_(std::has_single_bit(banks) ? banks - 1 : 0) {
    std::fill_n(head_.begin(), banks, kEnd);
  }

  void add(std::uint64_t word) {
    const auto bank = static_cast<std::uint32_t>(mask_ != 0 ? word & mask_ : word % banks_);
    std::uint32_t depth = 1;
    for (std::uint8_t i = head_[bank]; i != kEnd; i = next_[i], ++depth)
      if (words_[i] == word) return;
    if (count_ == kCapacity) return;
    words_[count_] = word;
    next_[count_] = head_[bank];
    head_[bank] = count_++;
    deepest_ = std::max(deepest_, depth);
  }
  std::uint32_t deepest() const { return deepest_; }
  std::uint32_t words() const { return count_; }

 private:
  static constexpr std::uint8_t kEnd = 255;
  static constexpr std::uint8_t kCapacity = 254;
  std::uint32_t banks_;
  std::uint32_t mask_;  ///< selects the bank if the number of banks is a power of two; else 0
  std::uint32_t deepest_ = 0;
  std::uint8_t count_ = 0;
  std::array<std::uint8_t, BankShape::kMaxBanks> head_;
  std::array<std::uint8_t, kCapacity> next_;
  std::array<std::uint64_t, kCapacity> words_;
};

}  // namespace

bool side_by_side(std::span<const std::uint64_t, kWarpSize> addresses, LaneMask lanes, std::uint32_t bytes) {
  if (lanes != LaneMask::all()) return false;
  for (int lane = 1; lane < kWarpSize; ++lane)
    if (addresses[lane] != addresses[0] + static_cast<std::uint64_t>(lane) * bytes) return false;
  return true;
}

BankPasses bank_passes(const BankShape& shape, std::span<const std::uint64_t, kWarpSize> addresses, LaneMask lanes,
                       std::uint32_t access_bytes, bool merge) {
  BankPasses result;
  if (lanes.none()) return result;
  const std::uint32_t bytes = std::max(access_bytes, 1u);
  if (bytes % shape.width == 0 && shape.banks == kWarpSize && side_by_side(addresses, lanes, bytes)) {
    const std::uint32_t words = bytes / shape.width;
    return {words, words, words * kWarpSize};
  }
  const int shift = std::has_single_bit(shape.width) ? std::countr_zero(shape.width) : -1;
  const auto word_of = [&](std::uint64_t address) { return shift >= 0 ? address >> shift : address / shape.width; };
  const int group_lanes =
      static_cast<int>(std::clamp(shape.banks * shape.width / std::max(bytes, shape.width), 1u, 32u));
  const auto add = [&](BankGroup& group, int first) {
    const std::uint32_t window = group_lanes == kWarpSize ? ~0u : ((1u << group_lanes) - 1u) << first;
    for (std::uint32_t active = lanes.bits & window; active != 0; active &= active - 1) {
      const std::uint64_t address = addresses[static_cast<std::size_t>(std::countr_zero(active))];
      for (std::uint64_t word = word_of(address); word <= word_of(address + bytes - 1); ++word) group.add(word);
    }
  };
  const auto spend = [&](const BankGroup& group) {
    if (group.words() == 0) return;
    result.passes += shape.conflicts ? group.deepest() : 1;
    result.words += group.words();
    ++result.ideal;
  };
  const int step = merge && group_lanes < kWarpSize ? 2 * group_lanes : group_lanes;
  for (int first = 0; first < kWarpSize; first += step) {
    BankGroup one(shape.banks);
    add(one, first);
    if (step == group_lanes) {
      spend(one);
      continue;
    }
    BankGroup other(shape.banks), both(shape.banks);
    add(other, first + group_lanes);
    add(both, first);
    add(both, first + group_lanes);
    if (both.deepest() <= std::max(one.deepest(), other.deepest())) {
      spend(both);
    } else {
      spend(one);
      spend(other);
    }
  }
  return result;
}

}  // namespace sassim::arch
