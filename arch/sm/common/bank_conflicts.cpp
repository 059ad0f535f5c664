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

/// Whether each active lane uses the address of lane i xor `apart`, unless that lane is not active.
bool pairs_share(std::span<const std::uint64_t, kWarpSize> addresses, LaneMask lanes, std::size_t apart) {
  for (std::uint32_t left = lanes.bits; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left)), other = lane ^ apart;
    if ((lanes.bits >> other & 1) != 0 && addresses[lane] != addresses[other]) return false;
  }
  return true;
}

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
    return {words, words, words * kWarpSize, words};
  }
  const int shift = std::has_single_bit(shape.width) ? std::countr_zero(shape.width) : -1;
  const auto word_of = [&](std::uint64_t address) { return shift >= 0 ? address >> shift : address / shape.width; };
  int group_lanes = static_cast<int>(std::clamp(shape.banks * shape.width / std::max(bytes, shape.width), 1u, 32u));
  if (merge && group_lanes < kWarpSize && (pairs_share(addresses, lanes, 1) || pairs_share(addresses, lanes, 2)))
    group_lanes *= 2;
  result.groups = static_cast<std::uint32_t>(kWarpSize / group_lanes);
  for (int first = 0; first < kWarpSize; first += group_lanes) {
    BankGroup group(shape.banks);
    const std::uint32_t window = group_lanes == kWarpSize ? ~0u : ((1u << group_lanes) - 1u) << first;
    for (std::uint32_t active = lanes.bits & window; active != 0; active &= active - 1) {
      const std::uint64_t address = addresses[static_cast<std::size_t>(std::countr_zero(active))];
      for (std::uint64_t word = word_of(address); word <= word_of(address + bytes - 1); ++word) group.add(word);
    }
    if (group.words() == 0) continue;
    result.passes += shape.conflicts ? group.deepest() : 1;
    result.words += group.words();
    ++result.ideal;
  }
  return result;
}

}  // namespace sassim::arch
