// SPDX-License-Identifier: Apache-2.0
// Lines have priorities, as the V100 report (arXiv 1804.06826, section 3.1) describes: when the L1 saturates, the same
// four lines, one from each of the four sets, go first and the remaining lines follow, which keeps large arrays from
// being evicted by sparse accesses. The mechanism here is assumed: lines that were never used again go first, in the
// fixed order of their ways, but a line is safe while it is among the last half of a set's ways to be filled (else data
// in use by neighbouring warps would be lost before they come to it). When none is left, all become equal again.
#include <bit>
#include <cstdint>
#include <vector>

#include "arch/sm/l1_replacement.h"

namespace sassim::arch {
namespace {

/// The ways of one set.
class Priorities {
 public:
  explicit Priorities(std::uint32_t ways)
      : filled_at_(ways), order_(ways / 2), used_again_(words(ways)), settled_(words(ways)), ways_(ways) {}

  void touched(std::uint32_t way) { set(used_again_, way); }

  void filled(std::uint32_t way) {
    ++fills_;
    clear(used_again_, way);
    clear(settled_, way);
    filled_at_[way] = fills_;
    if (order_.empty()) return set(settled_, way);
    // The way that was filled half a set's ways ago is safe no longer, unless it was filled again since.
    std::uint32_t& place = order_[fills_ % order_.size()];
    if (fills_ > order_.size() && filled_at_[place] == fills_ - order_.size()) set(settled_, place);
    place = way;
  }

  std::uint32_t victim() {
    std::uint32_t way = first();
    if (way < ways_) return way;
    used_again_.assign(used_again_.size(), 0);
    way = first();
    return way < ways_ ? way : 0;
  }

 private:
  using Bits = std::vector<std::uint64_t>;
  static std::size_t words(std::uint32_t ways) { return (ways + 63) / 64; }
  static void set(Bits& bits, std::uint32_t way) { bits[way / 64] |= 1ull << way % 64; }
  static void clear(Bits& bits, std::uint32_t way) { bits[way / 64] &= ~(1ull << way % 64); }

  std::uint32_t first() const {
    for (std::size_t word = 0; word < settled_.size(); ++word)
      if (const std::uint64_t bits = settled_[word] & ~used_again_[word]; bits != 0)
        return static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    return ways_;
  }

  std::vector<std::uint64_t> filled_at_;
  std::vector<std::uint32_t> order_;  ///< the last ways to be filled
  Bits used_again_, settled_;
  std::uint32_t ways_;
  std::uint64_t fills_ = 0;
};

class Volta final : public L1OneVictim {
 public:
  explicit Volta(const L1Shape& shape) : count_(shape.sets) {
    for (std::uint32_t set = 0; set < shape.sets; ++set) sets_.emplace_back(shape.ways(set));
  }
  void touched(std::uint32_t slot) override { sets_[slot % count_].touched(slot / count_); }
  void filled(std::uint32_t slot, std::uint64_t) override { sets_[slot % count_].filled(slot / count_); }
  std::uint32_t victim(std::uint32_t set) override { return set + sets_[set].victim() * count_; }

 private:
  std::uint32_t count_;
  std::vector<Priorities> sets_;
};

const Registered<L1Replacement, Volta, const L1Shape&> volta_registered("volta");

}  // namespace
}  // namespace sassim::arch
