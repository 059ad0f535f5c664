// SPDX-License-Identifier: Apache-2.0
// The tags of every cache and TLB: which line is in which slot, when it was last used, and which line is the victim.
// The owner of the array stores the contents of lines, by slot.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/cache/line_index.h"
#include "arch/cache/replacement.h"
#include "arch/common/state_parts.h"

namespace sassim::arch {

class TagArray {
 public:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  ///< not the number of any line
  static constexpr std::size_t kNone = ~std::size_t{0};       ///< no slot

  /// Throws InputError for an unknown policy, or one that this cache cannot use.
  TagArray(const CacheShape& shape, const std::string& policy);

  std::size_t sets() const { return shape_.sets; }
  std::uint32_t ways() const { return shape_.ways; }
  std::size_t slots() const { return lines_.size(); }
  std::uint32_t resident() const { return resident_; }

  /// The slot of `line`, which belongs to `set`; kNone: the line is absent.
  std::size_t find(std::size_t set, std::uint64_t line) const {
    if (index_) return find(line);
    const std::uint64_t* lines = &lines_[set * shape_.ways];
    for (std::uint32_t way = 0; way < shape_.ways; ++way)
      if (lines[way] == line) return set * shape_.ways + way;
    return kNone;
  }
  /// find() without the set, for caches with more than kScanned ways.
  std::size_t find(std::uint64_t line) const {
    const std::uint32_t slot = index_->find(line, lines_.data());
    return slot == LineIndex::kNone ? kNone : slot;
  }
  static constexpr std::uint32_t kScanned = 32;
  /// The line in a slot; kEmpty: none.
  std::uint64_t line_at(std::size_t slot) const { return lines_[slot]; }

  bool has_empty(std::size_t set) const { return empty_slot(set) != kNone; }

  /// The line in `slot` was found.
  void used(std::size_t slot, const LineUse& use) {
    used_[slot] = ++clock_;
    if (watches_uses_) policy_->used(slot, lines_[slot], use);
  }
  /// The data of the line in `slot` are in flight, or have arrived.
  void expect(std::size_t slot, bool in_flight) { policy_->expect(slot, in_flight); }

  /// A slot for `line`: an empty one, else that of the policy's victim among the slots for which `movable(slot)`
  /// is true; kNone if there is none. The victim stays in the slot until fill().
  template <class Movable>
  std::size_t choose(std::size_t set, std::uint64_t line, const LineUse& use, Movable movable) {
    if (const std::size_t slot = empty_slot(set); slot != kNone) return slot;
    return victim(set, line, use, movable);
  }
  /// The slot of the line that the policy would evict first, among those for which `fits(slot)` is true; else kNone.
  template <class Fits>
  std::size_t first_to_go(std::size_t set, Fits fits) {
    return victim(set, kEmpty, {}, [&](std::size_t slot) { return lines_[slot] != kEmpty && fits(slot); });
  }
  /// Evicts the policy's victims and returns an empty slot for `line`; kNone: no line can be evicted now.
  std::size_t make_room(std::size_t set, std::uint64_t line, const LineUse& use);

  /// Stores `line` in `slot`, in place of the line that was there.
  void fill(std::size_t slot, std::uint64_t line, const LineUse& use) {
    const bool taken = lines_[slot] != kEmpty;
    if (taken && index_) index_->erase(slot, lines_.data());
    lines_[slot] = line;
    if (index_) index_->insert(line, slot);
    if (!taken) mark(slot, false);
    untouched_ = false;
    used_[slot] = ++clock_;
    policy_->filled(slot, line, use);
  }
  void drop(std::size_t slot) {
    if (index_) index_->erase(slot, lines_.data());
    lines_[slot] = kEmpty;
    mark(slot, true);
  }
  /// Removes all lines and resets the policy.
  void clear();
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, lines_, used_, empty_);
    state_of_part(archive, *policy_);
    archive(untouched_, clock_, resident_);
    if constexpr (Archive::kLoading)
      if (index_) index_->rebuild(lines_, kEmpty);
  }

 private:
  void start();
  void mark(std::size_t slot, bool empty) {
    const std::uint32_t set = static_cast<std::uint32_t>(slot) / shape_.ways;
    const std::uint32_t way = static_cast<std::uint32_t>(slot) - set * shape_.ways;
    empty_[set * words_ + way / 64] ^= 1ull << way % 64;
    resident_ += empty ? ~0u : 1u;
  }
  SetView view(std::size_t set) const {
    const std::size_t first = set * shape_.ways;
    return {first, shape_.ways_of(set), &used_[first], nullptr};
  }
  std::size_t empty_slot(std::size_t set) const {
    for (std::size_t i = 0; i < words_; ++i)
      if (const std::uint64_t empty = empty_[set * words_ + i]; empty != 0)
        return set * shape_.ways + i * 64 + static_cast<std::size_t>(std::countr_zero(empty));
    return kNone;
  }
  template <class MayGo>
  std::size_t victim(std::size_t set, std::uint64_t line, const LineUse& use, MayGo may_go) {
    SetView ways = view(set);
    ways.free = free_.data();
    bool any = false;
    for (std::uint32_t way = 0; way < ways.ways; ++way) {
      free_[way] = may_go(ways.first + way) ? 1 : 0;
      any = any || free_[way] != 0;
    }
    return any ? ways.first + policy_->victim(ways, line, use) : kNone;
  }

  CacheShape shape_;
  std::string policy_name_;
  std::size_t words_;                 ///< words of empty_ for each set
  std::vector<std::uint64_t> lines_;  ///< by slot: number of the line
  std::vector<std::uint64_t> used_;   ///< by slot: order of the last use
  std::vector<std::uint64_t> empty_;  ///< one bit per slot
  std::vector<std::uint8_t> free_;    ///< by way of the set in question: the line may be evicted
  std::vector<std::size_t> gone_;
  std::optional<LineIndex> index_;
  std::unique_ptr<Replacement> policy_;
  bool watches_uses_ = true, untouched_ = false;
  std::uint64_t clock_ = 0;
  std::uint32_t resident_ = 0;
};

}  // namespace sassim::arch
