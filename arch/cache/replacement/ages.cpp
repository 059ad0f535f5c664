// SPDX-License-Identifier: Apache-2.0
// A replacement policy of the L1 ("ages"): the least recently used line is evicted, but times of use are coarse, in
// steps of 65,536 cycles, and among lines of one step the first way is evicted. The lines that were filled last, as
// many as half the ways of a set, are safe: they stay (assumed: neighbouring warps are about to use them). It explains
// of a V100: a random chase through 1.5 times the cache never hits, if each pass takes longer than a step (RRZE's
// gpu-latency), but with fast accesses a part of a large array stays (V100 report, section 3.1). An H200 does otherwise
// (validation/measured/h200/l1.md#l1-replacement).
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
    // The line that was filled half a set's ways ago is no longer safe, unless its slot was filled again.
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
    std::vector<std::size_t> order;  ///< the slots that were filled last
    std::uint64_t fills = 0;
  };
  static std::uint32_t epoch(const LineUse& use) { return static_cast<std::uint32_t>(use.now >> kEpochBits) & ~kSafe; }

  std::uint32_t ways_;
  std::vector<std::uint32_t> used_;  ///< by slot: time of the last use, and kSafe
  std::vector<std::uint64_t> filled_at_;
  std::vector<Set> sets_;
};

const Registered<Replacement, Ages, const CacheShape&> ages_registered("ages");

}  // namespace
}  // namespace sassim::arch
