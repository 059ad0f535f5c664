// SPDX-License-Identifier: Apache-2.0
// Fences of GPU and system scope. A fence covers earlier stores of all warps of its SM, because a barrier may have made
// its warp depend on them. L2 slices confirm stores only when a fence sends them a query.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "arch/common/timing_wheel.h"
#include "sim/base/types.h"

namespace sassim::arch {

class FenceUnit {
 public:
  static constexpr std::uint32_t kNone = ~0u;  ///< no epoch

  /// Cycles of a query to the home slice of an address to which the SM has stored since the last fence.
  using Distance = std::function<std::uint32_t(std::uint64_t address)>;
  explicit FenceUnit(Distance distance) : distance_(std::move(distance)) {}
  /// Sends the query of a fence, to all slices or to those that the SM has used.
  using Query = std::function<void(bool everywhere)>;
  void connect(Query query) { query_ = std::move(query); }

  /// Stores of earlier kernels have been confirmed.
  void start_kernel() { stored_ = 0; }
  /// Returns the epoch, which store_done() takes. `address`: of any lane of the store.
  std::uint32_t store_issued(std::uint64_t address) {
    last_[stored_++ % last_.size()] = address;
    ++open_.back();
    return first_ + static_cast<std::uint32_t>(open_.size()) - 1;
  }
  void store_done(std::uint32_t epoch, Cycle now) {
    --open_[epoch - first_];
    advance(now);
  }
  /// A fence that issued at `since`, and whose warp has no operation in flight. The warp continues `cycles` after all
  /// stores are visible. `least`: fewest cycles of the query to the slices, at any distance.
  /// `everywhere`: the query goes to all slices, not only to those that the SM has used.
  void arrive(WarpSlot warp, bool everywhere, Cycle since, std::uint32_t least, std::uint32_t cycles, Cycle now) {
    if (query_) query_(everywhere);
    std::uint32_t farthest = least;
    for (std::size_t i = 0; i < std::min<std::size_t>(stored_, last_.size()); ++i)
      farthest = std::max(farthest, distance_(last_[i]));
    waiting_.push_back({warp, first_ + static_cast<std::uint32_t>(open_.size()) - 1, cycles, since + farthest});
    stored_ = 0;
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
    archive(stored_, last_, first_, open_, waiting_, releases_);
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

  Distance distance_;
  Query query_;
  std::uint64_t stored_ = 0;  ///< stores since the last fence
  std::array<std::uint64_t, 4>
      last_{};  ///< addresses of the last stores: if any store went to the other half, one of four most likely did
  std::uint32_t first_ = 0;
  std::deque<std::uint32_t> open_{
      0};  ///< stores in flight of each epoch, the time between two fences; from epoch first_ on
  std::deque<Waiting> waiting_;
  TimingWheel<WarpSlot> releases_;
};

}  // namespace sassim::arch
