// SPDX-License-Identifier: Apache-2.0
// The least recently used line goes, but ages are told apart only every 65,536 cycles; of lines of one age the first way's
// goes. A line is safe while it is among the last half of a set's ways to be filled (assumed: else what neighbouring warps
// are about to use would be lost). So a chase in random order, which takes longer than that for a pass, finds nothing of
// an array that is half again too large (RRZE's gpu-latency on a V100), and where accesses follow each other quickly the
// same line of each set goes first, then the others in order, and a large array is kept in part (V100 report, section 3.1).
// An H200's losses look as if its ages were as coarse (validation/hardware/NOTES-h200.md, "What the L1 gives up").
#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/l1_replacement.h"

namespace sassim::arch {
namespace {

class Ages final : public L1OneVictim {
 public:
  explicit Ages(const L1Shape& shape) : count_(shape.sets) {
    for (std::uint32_t set = 0; set < shape.sets; ++set) sets_.emplace_back(shape.ways(set));
  }
  void touched(std::uint32_t slot) override {
    std::uint32_t& age = sets_[slot % count_].used[slot / count_];
    age = (age & kSafe) | epoch();
  }
  void filled(std::uint32_t slot, std::uint64_t) override {
    Set& set = sets_[slot % count_];
    const std::uint32_t way = slot / count_;
    ++set.fills;
    set.filled_at[way] = set.fills;
    set.used[way] = epoch();
    if (set.order.empty()) return;
    set.used[way] |= kSafe;
    // The way that was filled half a set's ways ago is safe no longer, unless it was filled again since.
    std::uint32_t& place = set.order[set.fills % set.order.size()];
    if (set.fills > set.order.size() && set.filled_at[place] == set.fills - set.order.size()) set.used[place] &= ~kSafe;
    place = way;
  }
  std::uint32_t victim(std::uint32_t set) override {
    const std::vector<std::uint32_t>& used = sets_[set].used;
    return set + static_cast<std::uint32_t>(std::min_element(used.begin(), used.end()) - used.begin()) * count_;
  }

 private:
  static constexpr std::uint32_t kSafe = 1u << 31;
  static constexpr std::uint32_t kEpochBits = 16;

  struct Set {
    explicit Set(std::uint32_t ways) : used(ways), filled_at(ways), order(ways / 2) {}
    std::vector<std::uint32_t> used;  ///< by way: when, and whether it is safe
    std::vector<std::uint64_t> filled_at;
    std::vector<std::uint32_t> order;  ///< the last ways to be filled
    std::uint64_t fills = 0;
  };
  std::uint32_t epoch() const { return static_cast<std::uint32_t>(now().value >> kEpochBits) & ~kSafe; }

  std::uint32_t count_;
  std::vector<Set> sets_;
};

const Registered<L1Replacement, Ages, const L1Shape&> ages_registered("ages");

}  // namespace
}  // namespace sassim::arch
