// SPDX-License-Identifier: Apache-2.0
// One bit per line, which a use sets. When all bits of a set would be set, the others are cleared. The victim is the
// first line without the bit.
#include "arch/cache/replacement.h"
#include "arch/common/state_parts.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {
namespace {

class NotRecent final : public Replacement {
 public:
  explicit NotRecent(const CacheShape& shape) : shape_(shape), recent_(shape.slots()) {}

  void used(std::size_t slot, std::uint64_t, const LineUse&) override {
    recent_[slot] = 1;
    const std::size_t set = slot / shape_.ways, first = set * shape_.ways, end = first + shape_.ways_of(set);
    for (std::size_t other = first; other < end; ++other)
      if (recent_[other] == 0) return;
    for (std::size_t other = first; other < end; ++other) recent_[other] = other == slot;
  }
  void filled(std::size_t slot, std::uint64_t line, const LineUse& use) override { used(slot, line, use); }
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    std::uint32_t any = set.ways;
    for (std::uint32_t way = 0; way < set.ways; ++way) {
      if (!set.may_go(way)) continue;
      if (recent_[set.first + way] == 0) return way;
      if (any == set.ways) any = way;
    }
    return any;
  }
  void save(StateWriter& writer) const override { writer(*this); }
  void load(StateReader& reader) override { reader(*this); }
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, recent_);
  }

 private:
  CacheShape shape_;
  std::vector<std::uint8_t> recent_;
};

const Registered<Replacement, NotRecent, const CacheShape&> not_recent_registered("not_recent");

}  // namespace
}  // namespace sassim::arch
