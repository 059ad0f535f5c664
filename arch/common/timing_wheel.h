// SPDX-License-Identifier: Apache-2.0
// Events at known later cycles. Near ones are in a ring of buckets, far ones in a heap; in the steady state nothing is
// allocated. Events of one cycle are taken in the order in which they were added.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/types.h"

namespace sassim::arch {

template <class Event>
class TimingWheel {
 public:
  static constexpr std::uint64_t kSpan = 256;

  /// `at` must be after the last cycle whose events were taken.
  void add(Cycle at, const Event& event) {
    if (at.value < base_ + kSpan) {
      const std::size_t bucket = at.value % kSpan;
      buckets_[bucket].push_back(event);
      occupied_[bucket / 64] |= 1ull << bucket % 64;
      next_ = std::min(next_, at.value);
    } else {
      far_.push_back({at.value, sequence_++, event});
      std::push_heap(far_.begin(), far_.end(), later);
      next_ = std::min(next_, at.value);
    }
  }

  Cycle next() const { return Cycle{next_}; }

  /// Calls `visit(Cycle, event)` for all future events, in any order; for reports.
  template <class Visit>
  void each(Visit visit) const {
    for (std::uint64_t at = base_; at < base_ + kSpan; ++at)
      for (const Event& event : buckets_[at % kSpan]) visit(Cycle{at}, event);
    for (const Far& far : far_) visit(Cycle{far.at}, far.event);
  }

  /// Calls `take(event)` for all events that are due at `now`; earlier ones have been taken. `take` may add later
  /// events.
  template <class Take>
  void pop(Cycle now, Take take) {
    if (next_ > now.value) return;
    base_ = now.value;
    while (!far_.empty() && far_.front().at <= now.value) {
      std::pop_heap(far_.begin(), far_.end(), later);
      taken_.push_back(far_.back().event);
      far_.pop_back();
    }
    const std::size_t bucket = now.value % kSpan;
    if (occupied_[bucket / 64] >> bucket % 64 & 1) {
      taken_.insert(taken_.end(), buckets_[bucket].begin(), buckets_[bucket].end());
      buckets_[bucket].clear();
      occupied_[bucket / 64] &= ~(1ull << bucket % 64);
    }
    base_ = now.value + 1;
    next_ = find_next();
    for (std::size_t i = 0; i < taken_.size(); ++i) take(taken_[i]);
    taken_.clear();
  }
  template <class Archive>
  void state(Archive& archive) {
    archive(buckets_, occupied_, far_, base_, next_, sequence_);
  }

 private:
  struct Far {
    std::uint64_t at, sequence;
    Event event;
  };
  static bool later(const Far& a, const Far& b) { return a.at != b.at ? a.at > b.at : a.sequence > b.sequence; }

  std::uint64_t find_next() const {
    std::uint64_t next = far_.empty() ? kNever.value : far_.front().at;
    const std::size_t start = base_ % kSpan;
    for (std::size_t step = 0; step <= kSpan / 64; ++step) {
      const std::size_t word = (start / 64 + step) % (kSpan / 64);
      std::uint64_t bits = occupied_[word];
      if (step == 0) bits &= ~0ull << start % 64;
      if (step == kSpan / 64) bits &= ~(~0ull << start % 64);
      if (bits == 0) continue;
      const std::size_t bucket = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return std::min(next, base_ + (bucket + kSpan - start) % kSpan);
    }
    return next;
  }

  std::array<std::vector<Event>, kSpan> buckets_;
  std::array<std::uint64_t, kSpan / 64> occupied_{};
  std::vector<Far> far_;
  std::vector<Event> taken_;
  std::uint64_t base_ = 0;  ///< buckets hold [base, base + span)
  std::uint64_t next_ = kNever.value;
  std::uint64_t sequence_ = 0;
};

}  // namespace sassim::arch
