// SPDX-License-Identifier: Apache-2.0
// A replacement policy of the L1 ("sweep"), as measured on an H200 (validation/measured/h200/l1.md#l1-replacement). The
// tags of a set form rows of a few ways. When the set is full, a pointer (the hand, as in the CLOCK policy) moves on
// over a few rows, and each that holds a line evicts one; a row without a free way evicts one for a new line of its
// own. In a row, lines that were not used again are evicted first, and among them the least recently used one.
#include <algorithm>
#include <bit>

#include "arch/cache/replacement.h"
#include "arch/common/state_parts.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {
namespace {

constexpr std::uint32_t kNone = ~0u;
constexpr std::uint64_t kAgain = 1ull << 63;  ///< above all times of lines that were not used again

class Sweep final : public Replacement {
 public:
  explicit Sweep(const CacheShape& shape)
      : slots_(shape.ways),
        masks_(shape.rows.masks),
        count_(1u << masks_.size()),
        emptied_(shape.rows.emptied),
        ways_((std::max(shape.tags, shape.lines) + shape.sets * count_ - 1) / (shape.sets * count_)),
        rows_(std::size_t{shape.sets} * count_ * ways_, kNone),
        hands_(shape.sets),
        used_(shape.slots()),
        expected_(shape.slots()) {}

  bool gives_up_several() const override { return true; }
  void used(std::size_t slot, std::uint64_t, const LineUse&) override { used_[slot] = ++clock_ | kAgain; }
  void filled(std::size_t slot, std::uint64_t line, const LineUse&) override {
    std::uint32_t* way = row(slot / slots_, row_of(line));
    while (*way != kNone) ++way;
    *way = static_cast<std::uint32_t>(slot);
    used_[slot] = ++clock_;
    expected_[slot] = 0;
  }
  void expect(std::size_t slot, bool in_flight) override { expected_[slot] = in_flight ? 1 : 0; }
  bool make_room(const SetView& view, std::uint64_t line, const LineUse&, bool full,
                 std::vector<std::size_t>& gone) override {
    const std::size_t set = view.first / slots_;
    std::uint32_t* wanted = row(set, row_of(line));
    if (std::find(wanted, wanted + ways_, kNone) == wanted + ways_) return give_up(wanted, gone);
    if (!full) return true;
    std::uint32_t& hand = hands_[set];
    std::uint32_t taken = 0;
    for (std::uint32_t seen = 0; taken < emptied_ && seen < count_; ++seen) {
      taken += give_up(row(set, hand), gone) ? 1 : 0;
      hand = (hand + 1) % count_;
    }
    return taken != 0;
  }
  std::uint32_t victim(const SetView&, std::uint64_t, const LineUse&) override {
    throw std::logic_error("sweep gives up lines in make_room() only");
  }
  void save(StateWriter& writer) const override { writer(*this); }
  void load(StateReader& reader) override { reader(*this); }
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, rows_, hands_, used_, expected_);
    archive(clock_);
  }

 private:
  /// The row of a line, in the order of the hand.
  std::uint32_t row_of(std::uint64_t line) const {
    std::uint32_t row = 0;
    for (std::size_t bit = 0; bit < masks_.size(); ++bit)
      row |= static_cast<std::uint32_t>(std::popcount(line & masks_[bit]) & 1) << bit;
    return row;
  }
  /// For each way of a row, the slot of its line.
  std::uint32_t* row(std::size_t set, std::uint32_t at) { return &rows_[(set * count_ + at) * ways_]; }
  bool give_up(std::uint32_t* row, std::vector<std::size_t>& gone) {
    std::uint32_t* first = nullptr;
    for (std::uint32_t* way = row; way != row + ways_; ++way)
      if (*way != kNone && expected_[*way] == 0 && (first == nullptr || used_[*way] < used_[*first])) first = way;
    if (first == nullptr) return false;
    gone.push_back(*first);
    *first = kNone;
    return true;
  }

  std::uint32_t slots_;  ///< slots of a set
  std::vector<std::uint64_t> masks_;
  std::uint32_t count_, emptied_;  ///< rows of a set; rows that evict a line when the set is full
  std::uint32_t ways_;             ///< ways of a row
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> hands_;
  std::vector<std::uint64_t> used_;     ///< by slot: order of the last use, with kAgain if the line was used again
  std::vector<std::uint8_t> expected_;  ///< by slot: the data are in flight, so the line stays
  std::uint64_t clock_ = 0;
};

const Registered<Replacement, Sweep, const CacheShape&> sweep_registered("sweep");

}  // namespace
}  // namespace sassim::arch
