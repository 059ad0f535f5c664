// SPDX-License-Identifier: Apache-2.0
// A replacement policy of the L1 ("priorities"), after the V100 report (arXiv 1804.06826, section 3.1): when the L1 is
// full, the same four lines, one from each of the four sets, are evicted first, so that sparse accesses do not evict
// large arrays. How hardware does this is assumed: the victim is the first way whose line was not used again; if all
// were, all count as not used again. The lines that were filled last, as many as half the ways of a set, are safe, that
// is they stay: otherwise neighbouring warps would lose data before they use them.
#include <bit>

#include "arch/cache/replacement.h"
#include "arch/common/state_parts.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {
namespace {

class Priorities final : public Replacement {
 public:
  explicit Priorities(const CacheShape& shape)
      : ways_(shape.ways),
        words_((shape.ways + 63) / 64),
        filled_at_(shape.slots()),
        used_again_(std::size_t{shape.sets} * words_),
        settled_(used_again_.size()) {
    for (std::uint32_t set = 0; set < shape.sets; ++set) sets_.emplace_back(shape.ways_of(set) / 2);
  }

  void used(std::size_t slot, std::uint64_t, const LineUse&) override { set(used_again_, slot); }
  void filled(std::size_t slot, std::uint64_t, const LineUse&) override {
    Set& of = sets_[slot / ways_];
    ++of.fills;
    clear(used_again_, slot);
    clear(settled_, slot);
    filled_at_[slot] = of.fills;
    if (of.order.empty()) return set(settled_, slot);
    // The line that was filled half a set's ways ago is no longer safe, unless its slot was filled again.
    std::size_t& place = of.order[of.fills % of.order.size()];
    if (of.fills > of.order.size() && filled_at_[place] == of.fills - of.order.size()) set(settled_, place);
    place = slot;
  }
  std::uint32_t victim(const SetView& view, std::uint64_t, const LineUse&) override {
    const std::size_t word = view.first / ways_ * words_;
    std::uint32_t way = first(view, word);
    if (way < view.ways) return way;
    for (std::size_t i = word; i < word + words_; ++i) used_again_[i] = 0;
    way = first(view, word);
    for (std::uint32_t other = 0; way == view.ways && other < view.ways; ++other)
      if (view.may_go(other)) way = other;
    return way;
  }
  void save(StateWriter& writer) const override { writer(*this); }
  void load(StateReader& reader) override { reader(*this); }
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, filled_at_, used_again_, settled_, sets_);
  }

 private:
  using Bits = std::vector<std::uint64_t>;
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

  std::size_t word(std::size_t slot) const { return slot / ways_ * words_ + slot % ways_ / 64; }
  std::uint64_t bit(std::size_t slot) const { return 1ull << slot % ways_ % 64; }
  void set(Bits& bits, std::size_t slot) { bits[word(slot)] |= bit(slot); }
  void clear(Bits& bits, std::size_t slot) { bits[word(slot)] &= ~bit(slot); }

  /// The first way whose line is neither safe nor used again; view.ways: there is none.
  std::uint32_t first(const SetView& view, std::size_t word) const {
    for (std::size_t i = 0; i < words_; ++i)
      for (std::uint64_t bits = settled_[word + i] & ~used_again_[word + i]; bits != 0; bits &= bits - 1) {
        const auto way = static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        if (view.may_go(way)) return way;
      }
    return view.ways;
  }

  std::uint32_t ways_;
  std::size_t words_;                     ///< words of bits for each set
  std::vector<std::uint64_t> filled_at_;  ///< by slot
  Bits used_again_, settled_;
  std::vector<Set> sets_;
};

const Registered<Replacement, Priorities, const CacheShape&> priorities_registered("priorities");

}  // namespace
}  // namespace sassim::arch
