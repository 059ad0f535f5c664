// SPDX-License-Identifier: Apache-2.0
// Counts the passes (wavefronts) of a warp's access to banked memory, and remembers patterns that it has counted.
#include "arch/sm/common/bank_conflicts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace sassim::arch {

namespace {

using Addresses = std::span<const std::uint64_t, kWarpSize>;

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
bool pairs_share(Addresses addresses, LaneMask lanes, std::size_t apart) {
  for (std::uint32_t left = lanes.bits; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left)), other = lane ^ apart;
    if ((lanes.bits >> other & 1) != 0 && addresses[lane] != addresses[other]) return false;
  }
  return true;
}

BankPasses count_passes(const BankShape& shape, Addresses addresses, LaneMask lanes, std::uint32_t bytes, bool merge) {
  BankPasses result;
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

/// The passes of patterns that were counted before. A pattern is what the passes depend on: moving all addresses by
/// rows of the banks changes nothing. Kernels repeat few patterns, and counting one takes thousands of host
/// instructions.
class KnownPatterns {
 public:
  template <class Count>
  BankPasses find(const BankShape& shape, Addresses addresses, LaneMask lanes, std::uint32_t bytes, bool merge,
                  Count count) {
    Pattern pattern{{}, lanes.bits, bytes, shape.banks, shape.width, shape.conflicts, merge};
    if (!place(addresses, lanes, shape.banks * shape.width, pattern.offsets)) return count();
    Known& known = known_[hash(pattern) % known_.size()];
    if (known.pattern != pattern) known = {pattern, count()};
    return known.passes;
  }

 private:
  using Offsets = std::array<std::int16_t, kWarpSize>;
  struct Pattern {
    Offsets offsets{};
    std::uint32_t lanes = 0, bytes = 0, banks = 0, width = 0;
    bool conflicts = false, merge = false;
    friend bool operator==(const Pattern&, const Pattern&) = default;
  };
  struct Known {
    Pattern pattern;  ///< at first without lanes, which no access has
    BankPasses passes;
  };

  /// Addresses from the row of the first active lane on; 0 for the other lanes. False if one is too far away.
  static bool place(Addresses addresses, LaneMask lanes, std::uint32_t row, Offsets& offsets) {
    const std::uint64_t first = addresses[static_cast<std::size_t>(std::countr_zero(lanes.bits))];
    const std::uint64_t base = first - first % row;
    std::uint64_t far = 0;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t offset = (addresses[lane] - base) & -(lanes.bits >> lane & std::uint64_t{1});
      far |= offset + 0x8000;
      offsets[lane] = static_cast<std::int16_t>(offset);
    }
    return far >> 16 == 0;
  }
  static std::size_t hash(const Pattern& pattern) {
    std::array<std::uint64_t, kWarpSize / 4> words;
    std::memcpy(words.data(), pattern.offsets.data(), sizeof words);
    std::uint64_t sum = pattern.lanes ^ std::uint64_t{pattern.bytes} << 32;
    for (const std::uint64_t word : words) sum = (sum ^ word) * 0x9e3779b97f4a7c15;
    return sum >> 40;
  }

  std::array<Known, 256> known_{};
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
  if (lanes.none()) return {};
  const std::uint32_t bytes = std::max(access_bytes, 1u);
  if (bytes % shape.width == 0 && shape.banks == kWarpSize && side_by_side(addresses, lanes, bytes)) {
    const std::uint32_t words = bytes / shape.width;
    return {words, words, words * kWarpSize, words};
  }
  // One for each thread: what it holds changes no result.
  static thread_local KnownPatterns known;
  return known.find(shape, addresses, lanes, bytes, merge,
                    [&] { return count_passes(shape, addresses, lanes, bytes, merge); });
}

}  // namespace sassim::arch
