// SPDX-License-Identifier: Apache-2.0
// A queue of events that are due at known later cycles. Near ones are in a ring of buckets, which share their memory,
// far ones in a heap; in the steady state nothing is allocated. Events of one cycle are taken in the order in which
// they were added.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
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
      add_near(at.value % kSpan, event);
    } else {
      far_.push_back({at.value, sequence_++, event});
      std::push_heap(far_.begin(), far_.end(), later);
    }
    next_ = std::min(next_, at.value);
  }

  Cycle next() const { return Cycle{next_}; }

  /// Calls `visit(Cycle, event)` for all future events, in any order; for reports.
  template <class Visit>
  void each(Visit visit) const {
    for (std::uint64_t at = base_; at < base_ + kSpan; ++at)
      each_of(at % kSpan, [&](const Event& event) { visit(Cycle{at}, event); });
    for (const Far& far : far_) visit(Cycle{far.at}, far.event);
  }

  /// Calls `take(event)` for all events that are due at `now`; earlier ones have been taken. `take` may add later
  /// events.
  template <class Take>
  void pop(Cycle now, Take take) {
    if (next_ > now.value) return;
    while (!far_.empty() && far_.front().at <= now.value) {
      std::pop_heap(far_.begin(), far_.end(), later);
      due_.push_back(far_.back().event);
      far_.pop_back();
    }
    const std::size_t bucket = now.value % kSpan;
    const std::uint16_t last = std::exchange(last_[bucket], kNone);
    occupied_[bucket / 64] &= ~(1ull << bucket % 64);
    base_ = now.value + 1;
    next_ = find_next();
    for (std::size_t i = 0; i < due_.size(); ++i) take(due_[i]);
    due_.clear();
    if (last == kNone) return;
    for (std::uint16_t at = nodes_[last].next;;) {
      const Node node = nodes_[at];  // `take` may move all nodes
      nodes_[at].next = std::exchange(free_, at);
      take(node.event);
      if (at == last) break;
      at = node.next;
    }
  }
  /// Loads into an empty wheel.
  template <class Archive>
  void state(Archive& archive) {
    std::array<std::vector<Event>, kSpan> buckets;
    for (std::size_t i = 0; i < kSpan; ++i) each_of(i, [&](const Event& event) { buckets[i].push_back(event); });
    archive(buckets, far_, base_, next_, sequence_);
    if constexpr (Archive::kLoading)
      for (std::size_t i = 0; i < kSpan; ++i)
        for (const Event& event : buckets[i]) add_near(i, event);
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;

  struct Far {
    std::uint64_t at, sequence;
    Event event;
  };
  /// An event of a bucket, or a free place.
  struct Node {
    Event event;
    std::uint16_t next;  ///< the bucket's next event, after its last one the first; the next free place
  };
  static bool later(const Far& a, const Far& b) { return a.at != b.at ? a.at > b.at : a.sequence > b.sequence; }

  void add_near(std::size_t bucket, const Event& event) {
    std::uint16_t place = free_;
    if (place == kNone) {
      if (nodes_.size() >= kNone) throw std::logic_error("a timing wheel has too many events");
      place = static_cast<std::uint16_t>(nodes_.size());
      nodes_.push_back({event, place});
    } else {
      free_ = nodes_[place].next;
      nodes_[place] = {event, place};
    }
    const std::uint16_t last = std::exchange(last_[bucket], place);
    if (last != kNone) nodes_[place].next = std::exchange(nodes_[last].next, place);
    occupied_[bucket / 64] |= 1ull << bucket % 64;
  }
  template <class Visit>
  void each_of(std::size_t bucket, Visit visit) const {
    if (last_[bucket] == kNone) return;
    for (std::uint16_t at = nodes_[last_[bucket]].next;; at = nodes_[at].next) {
      visit(nodes_[at].event);
      if (at == last_[bucket]) return;
    }
  }

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
  static constexpr std::array<std::uint16_t, kSpan> empty_buckets() {
    std::array<std::uint16_t, kSpan> none{};
    none.fill(kNone);
    return none;
  }

  std::uint64_t next_ = kNever.value;
  std::uint64_t base_ = 0;  ///< buckets hold [base, base + span)
  std::array<std::uint64_t, kSpan / 64> occupied_{};
  std::vector<Node> nodes_;     ///< of all buckets: few events are in flight, and share a few lines of the host's cache
  std::uint16_t free_ = kNone;  ///< the first free place
  std::array<std::uint16_t, kSpan> last_ = empty_buckets();  ///< the last event of each bucket
  std::vector<Far> far_;
  std::vector<Event> due_;
  std::uint64_t sequence_ = 0;
};

}  // namespace sassim::arch
