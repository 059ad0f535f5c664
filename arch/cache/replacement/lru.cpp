// SPDX-License-Identifier: Apache-2.0
// The victim is the least recently used line.
#include "arch/cache/replacement.h"

namespace sassim::arch {
namespace {

class Lru final : public Replacement {
 public:
  explicit Lru(const CacheShape&) {}
  bool watches_uses() const override { return false; }
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    std::uint32_t oldest = set.ways;
    for (std::uint32_t way = 0; way < set.ways; ++way)
      if (set.may_go(way) && (oldest == set.ways || set.used[way] < set.used[oldest])) oldest = way;
    return oldest;
  }
  void save(StateWriter&) const override {}  // TagArray knows when lines were used
  void load(StateReader&) override {}
};

const Registered<Replacement, Lru, const CacheShape&> lru_registered("lru");

}  // namespace
}  // namespace sassim::arch
