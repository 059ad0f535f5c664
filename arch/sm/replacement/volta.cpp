// SPDX-License-Identifier: Apache-2.0
// Lines have priorities, as the V100 report (arXiv 1804.06826, section 3.1) describes: when the L1 saturates, the same
// four lines, one from each of the four sets, go first and the remaining lines follow, which keeps large arrays from
// being evicted by sparse accesses. The mechanism here is assumed: lines that were never used again go first, in the
// fixed order of their ways, but a line is safe while it is among the last half of a set's ways to be filled (else data
// in use by neighbouring warps would be lost before they come to it). When none is left, all become equal again.
#include <algorithm>
#include <vector>

#include "arch/sm/l1_replacement.h"

namespace sassim::arch {
namespace {

class Volta final : public L1Replacement {
 public:
  explicit Volta(const L1Shape& shape)
      : shape_(shape), used_again_(shape.lines), filled_at_(shape.lines), sets_(shape.sets) {}

  void touched(std::uint32_t slot) override { used_again_[slot] = true; }

  void filled(std::uint32_t slot) override {
    Set& set = sets_[slot % shape_.sets];
    used_again_[slot] = false;
    filled_at_[slot] = ++set.fills;
    set.lowest = std::min(set.lowest, slot / shape_.sets);
  }

  std::uint32_t victim(std::uint32_t index) override {
    Set& set = sets_[index];
    const std::uint32_t ways = shape_.ways(index);
    if (const std::uint32_t way = search(index, ways); way < ways) return index + way * shape_.sets;
    for (std::uint32_t way = 0; way < ways; ++way) used_again_[index + way * shape_.sets] = false;
    set.lowest = 0;
    if (const std::uint32_t way = search(index, ways); way < ways) return index + way * shape_.sets;
    return index;
  }

 private:
  struct Set {
    std::uint64_t fills = 0;
    std::uint32_t lowest = 0;  ///< ways below it are in use
  };

  std::uint32_t search(std::uint32_t index, std::uint32_t ways) {
    Set& set = sets_[index];
    bool prefix = true;
    for (std::uint32_t way = set.lowest; way < ways; ++way) {
      const std::uint32_t slot = index + way * shape_.sets;
      if (!used_again_[slot] && set.fills - filled_at_[slot] >= ways / 2) return way;
      prefix = prefix && used_again_[slot];
      if (prefix) set.lowest = way + 1;
    }
    return ways;
  }

  L1Shape shape_;
  std::vector<char> used_again_;
  std::vector<std::uint64_t> filled_at_;
  std::vector<Set> sets_;
};

const Registered<L1Replacement, Volta, const L1Shape&> registered("volta");

}  // namespace
}  // namespace sassim::arch
