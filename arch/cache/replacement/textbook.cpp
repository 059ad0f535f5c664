// SPDX-License-Identifier: Apache-2.0
// Replacement policies known from textbooks, which any cache can have: lru, fifo, random and not_recent.
#include "arch/cache/replacement.h"
#include "arch/common/state_parts.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {
namespace {

/// The victim is the least recently used line.
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

/// The victim is the line that was filled first, whether it was used or not.
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

/// The victim is a random line of the set, as in the L1 of Turing (T4 report, arXiv 1903.07486, section 4.2: it
/// "randomly evicts 4 consecutive cache lines (128 B)", which is one tag of four sectors). The sequence is the same in
/// every run.
class Random final : public Replacement {
 public:
  explicit Random(const CacheShape&) {}
  bool watches_uses() const override { return false; }
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    auto way = static_cast<std::uint32_t>((state_ >> 16) % set.ways);
    while (!set.may_go(way)) way = way + 1 == set.ways ? 0 : way + 1;
    return way;
  }
  void save(StateWriter& writer) const override { writer(*this); }
  void load(StateReader& reader) override { reader(*this); }
  template <class Archive>
  void state(Archive& archive) {
    archive(state_);
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

const Registered<Replacement, Random, const CacheShape&> random_registered("random");

/// One bit per line, which a use sets. When all bits of a set would be set, the others are cleared. The victim is the
/// first line without the bit.
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
