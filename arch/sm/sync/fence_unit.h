// SPDX-License-Identifier: Apache-2.0
// Fences of GPU and system scope. A fence covers earlier stores of all warps of its SM, because a barrier may have made
// its warp depend on them. It asks the slices of the L2, which confirm nothing by themselves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "arch/common/timing_wheel.h"
#include "sim/base/types.h"

namespace sassim::arch {

class FenceUnit {
 public:
  /// Asks the slices that the SM has used since the last fence, or all, and returns the cycles until the last answer.
  using Query = std::function<std::uint32_t(bool everywhere)>;
  void connect(Query query) { query_ = std::move(query); }

  /// A store issues for which fences wait. Returns its epoch (the time between two fences), which store_done() takes.
  std::uint32_t store_issued() {
    ++open_.back();
    return first_ + static_cast<std::uint32_t>(open_.size()) - 1;
  }
  void store_done(std::uint32_t epoch, Cycle now) {
    --open_[epoch - first_];
    advance(now);
  }
  /// A fence that issued at `since`, and whose warp has no operation in flight. The warp continues `cycles` after the
  /// slices have answered and all stores are visible. `least`: fewest cycles until the answer.
  /// `everywhere`: it asks all slices, not only those that the SM has used.
  void arrive(WarpSlot warp, bool everywhere, Cycle since, std::uint32_t least, std::uint32_t cycles, Cycle now) {
    const std::uint32_t answered = query_ ? std::max(least, query_(everywhere)) : least;
    waiting_.push_back({warp, first_ + static_cast<std::uint32_t>(open_.size()) - 1, cycles, since + answered});
    open_.push_back(0);
    advance(now);
  }

  Cycle next_event() const { return releases_.next(); }
  /// Calls `take(WarpSlot)` for every warp that may continue at `now`.
  template <class Take>
  void pop(Cycle now, Take take) {
    releases_.pop(now, take);
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(first_, open_, waiting_, releases_);
  }

 private:
  struct Waiting {
    WarpSlot warp;
    std::uint32_t epoch;  ///< the last epoch whose stores the fence covers
    std::uint32_t cycles;
    Cycle answered;
  };

  void advance(Cycle now) {
    for (; open_.size() > 1 && open_.front() == 0; ++first_) open_.pop_front();
    for (; !waiting_.empty() && waiting_.front().epoch < first_; waiting_.pop_front()) {
      const Waiting& fence = waiting_.front();
      releases_.add(std::max(now, fence.answered) + fence.cycles, fence.warp);
    }
  }

  Query query_;
  std::uint32_t first_ = 0;
  std::deque<std::uint32_t> open_{
      0};  ///< stores in flight of each epoch, the time between two fences; from epoch first_ on
  std::deque<Waiting> waiting_;
  TimingWheel<WarpSlot> releases_;
};

}  // namespace sassim::arch
