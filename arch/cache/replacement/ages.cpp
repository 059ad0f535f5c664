// SPDX-License-Identifier: Apache-2.0
// The least recently used line is the victim, but ages are distinguished only every 65,536 cycles; of lines of one age
// the first way's is the victim. A line is safe while it is in the half of its set that was filled last (assumed: else
// lines that neighbouring warps are about to use would be lost). A chase in random order, of which one pass takes
// longer than an age, therefore never hits in an array that is half again too large (RRZE's gpu-latency on a V100).
// Where accesses follow each other quickly, the ways of each set are evicted in order from the first, and a large array
// stays in part (V100 report, section 3.1). An H200's misses look as if its ages were as coarse
// (validation/hardware/h200/l1-replacement.md).
#include <algorithm>

#include "arch/cache/replacement.h"
#include "arch/common/state_parts.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {
namespace {

class Ages final : public Replacement {
 public:
  explicit Ages(const CacheShape& shape) : ways_(shape.ways), used_(shape.slots()), filled_at_(shape.slots()) {
    for (std::uint32_t set = 0; set < shape.sets; ++set) sets_.emplace_back(shape.ways_of(set) / 2);
  }
  void used(std::size_t slot, std::uint64_t, const LineUse& use) override {
    used_[slot] = (used_[slot] & kSafe) | epoch(use);
  }
  void filled(std::size_t slot, std::uint64_t, const LineUse& use) override {
    Set& set = sets_[slot / ways_];
    ++set.fills;
    filled_at_[slot] = set.fills;
    used_[slot] = epoch(use);
    if (set.order.empty()) return;
    used_[slot] |= kSafe;
    // What was filled half a set's ways ago is safe no longer, unless it was filled again since.
    std::size_t& place = set.order[set.fills % set.order.size()];
    if (set.fills > set.order.size() && filled_at_[place] == set.fills - set.order.size()) used_[place] &= ~kSafe;
    place = slot;
  }
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    const std::uint32_t* used = &used_[set.first];
    if (set.free == nullptr) return static_cast<std::uint32_t>(std::min_element(used, used + set.ways) - used);
    std::uint32_t oldest = set.ways;
    for (std::uint32_t way = 0; way < set.ways; ++way)
      if (set.may_go(way) && (oldest == set.ways || used[way] < used[oldest])) oldest = way;
    return oldest;
  }
  void save(StateWriter& writer) const override { writer(*this); }
  void load(StateReader& reader) override { reader(*this); }
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, used_, filled_at_, sets_);
  }

 private:
  static constexpr std::uint32_t kSafe = 1u << 31;
  static constexpr std::uint32_t kEpochBits = 16;

  struct Set {
    explicit Set(std::uint32_t safe) : order(safe) {}
    template <class Archive>
    void state(Archive& archive) {
      state_of_fixed(archive, order);
      archive(fills);
    }
    std::vector<std::size_t> order;  ///< the last slots to be filled
    std::uint64_t fills = 0;
  };
  static std::uint32_t epoch(const LineUse& use) { return static_cast<std::uint32_t>(use.now >> kEpochBits) & ~kSafe; }

  std::uint32_t ways_;
  std::vector<std::uint32_t> used_;  ///< by slot: when, and whether it is safe
  std::vector<std::uint64_t> filled_at_;
  std::vector<Set> sets_;
};

const Registered<Replacement, Ages, const CacheShape&> ages_registered("ages");

}  // namespace
}  // namespace sassim::arch
