// SPDX-License-Identifier: Apache-2.0
// The victim is the line that was filled first, whether it was used or not.
#include "arch/cache/replacement.h"
#include "arch/common/state_parts.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {
namespace {

class Fifo final : public Replacement {
 public:
  explicit Fifo(const CacheShape& shape) : came_(shape.slots()) {}
  bool watches_uses() const override { return false; }
  void filled(std::size_t slot, std::uint64_t, const LineUse&) override { came_[slot] = ++fills_; }
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    const std::uint64_t* came = &came_[set.first];
    std::uint32_t oldest = set.ways;
    for (std::uint32_t way = 0; way < set.ways; ++way)
      if (set.may_go(way) && (oldest == set.ways || came[way] < came[oldest])) oldest = way;
    return oldest;
  }
  void save(StateWriter& writer) const override { writer(*this); }
  void load(StateReader& reader) override { reader(*this); }
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, came_);
    archive(fills_);
  }

 private:
  std::vector<std::uint64_t> came_;
  std::uint64_t fills_ = 0;
};

const Registered<Replacement, Fifo, const CacheShape&> fifo_registered("fifo");

}  // namespace
}  // namespace sassim::arch
