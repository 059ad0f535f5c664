// SPDX-License-Identifier: Apache-2.0
// The rare work of a cache's tags: their set-up, emptying, and misses for which a policy evicts several lines.
#include "arch/cache/tag_array.h"

#include <algorithm>

namespace sassim::arch {

TagArray::TagArray(const CacheShape& shape, const std::string& policy)
    : shape_(shape),
      policy_name_(policy),
      words_((shape.ways + 63) / 64),
      lines_(shape.slots(), kEmpty),
      used_(shape.slots()),
      empty_(std::size_t{shape.sets} * words_),
      free_(shape.ways) {
  if (shape.ways > kScanned) index_.emplace(shape.slots());
  gone_.reserve(8);
  start();
  if (policy_->gives_up_several() && !shape.several)
    throw InputError(
        "replacement policy '{}' evicts several lines at once, which only the L1 data cache can do; known policies: {}",
        policy, fmt::join(Replacements::instance().names(), ", "));
}

/// Sets all slots to empty.
void TagArray::start() {
  policy_ = Replacements::instance().make(policy_name_, shape_);
  watches_uses_ = policy_->watches_uses();
  for (std::size_t set = 0; set < shape_.sets; ++set) {
    std::uint64_t* empty = &empty_[set * words_];
    for (std::uint32_t left = shape_.ways_of(set); left != 0; left -= std::min(left, 64u))
      *empty++ = left < 64 ? (1ull << left) - 1 : ~0ull;
  }
  resident_ = 0;
  untouched_ = true;
}

void TagArray::clear() {
  if (untouched_) return;
  std::fill(lines_.begin(), lines_.end(), kEmpty);
  std::fill(used_.begin(), used_.end(), 0);
  if (index_) index_->clear();
  start();
}

std::size_t TagArray::make_room(std::size_t set, std::uint64_t line, const LineUse& use) {
  gone_.clear();
  const bool place = policy_->make_room(view(set), line, use, empty_slot(set) == kNone, gone_);
  for (const std::size_t slot : gone_) drop(slot);
  return place ? empty_slot(set) : kNone;
}

}  // namespace sassim::arch
