// SPDX-License-Identifier: Apache-2.0
// The tags of a cache of any size: which line is where, and which goes for a new one. What a line holds is its owner's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arch/common/replacement.h"

namespace sassim::arch {

class TagArray {
 public:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  static constexpr std::size_t kNone = ~std::size_t{0};

  TagArray(std::size_t sets, std::uint32_t ways, const std::string& replacement);

  std::size_t sets() const { return sets_; }
  std::uint32_t ways() const { return ways_; }
  std::size_t lines() const { return tags_.size(); }

  /// The line with this tag, or kNone.
  std::size_t find(std::size_t set, std::uint64_t tag) const {
    const std::uint64_t* tags = &tags_[set * ways_];
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (tags[way] == tag) return set * ways_ + way;
    return kNone;
  }
  std::uint64_t tag(std::size_t line) const { return tags_[line]; }
  void used(std::size_t line) { replacement_->used(line); }

  /// An empty line, else the one that the policy gives up among those that `movable(line)` allows; kNone if none is.
  template <class Movable>
  std::size_t choose(std::size_t set, Movable movable) {
    bool any = false;
    for (std::uint32_t way = 0; way < ways_; ++way) {
      const std::size_t line = set * ways_ + way;
      if (tags_[line] == kEmpty) return line;
      usable_[way] = movable(line) ? 1 : 0;
      any = any || usable_[way] != 0;
    }
    return any ? set * ways_ + replacement_->victim(set, usable_.data()) : kNone;
  }
  /// The line that the policy would give up first among those that `fits(line)` names; kNone if none does.
  template <class Fits>
  std::size_t oldest(std::size_t set, Fits fits) {
    bool any = false;
    for (std::uint32_t way = 0; way < ways_; ++way) {
      const std::size_t line = set * ways_ + way;
      usable_[way] = tags_[line] != kEmpty && fits(line) ? 1 : 0;
      any = any || usable_[way] != 0;
    }
    return any ? set * ways_ + replacement_->victim(set, usable_.data()) : kNone;
  }
  /// The line, that choose() gave, now holds `tag`.
  void fill(std::size_t line, std::uint64_t tag) {
    tags_[line] = tag;
    replacement_->filled(line);
  }
  void drop(std::size_t line) { tags_[line] = kEmpty; }
  void clear();

 private:
  std::size_t sets_;
  std::uint32_t ways_;
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint8_t> usable_;
  std::unique_ptr<Replacement> replacement_;
};

}  // namespace sassim::arch
