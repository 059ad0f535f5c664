// SPDX-License-Identifier: Apache-2.0
// A kernel's activity over time, in intervals of equal length. Their number is bounded: when the limit is reached,
// pairs of neighbours are merged, and all intervals become twice as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arch/common/activity.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// Every interval has the length `interval`, except the last one, which ends with the kernel.
struct ActivityOverTime {
  std::uint64_t interval = 0;  ///< in cycles
  std::vector<Activity> intervals;
};

/// Merges pairs of neighbours, which doubles the length of intervals; an odd one stays last.
void merge_neighbours(ActivityOverTime&);

class ActivitySeries {
 public:
  static constexpr std::uint64_t kFirstInterval = 32;  ///< in cycles, unless a length is requested

  /// Keeps at most `most` intervals, an even number; the first one starts at `start`. `interval` 0: starts with
  /// kFirstInterval.
  ActivitySeries(std::size_t most, Cycle start, std::uint64_t interval = 0);

  /// The end of the open interval.
  Cycle due() const { return due_; }
  /// Closes the open interval; `total` is the activity from the kernel's start to due().
  void close(const Activity& total);
  /// The kernel ended at `end` with the activity `total`. Intervals that start at or after `end` join the last one
  /// before it.
  ActivityOverTime finish(Cycle end, const Activity& total);

  template <class Archive>
  void state(Archive& archive) {
    archive(most_, start_, due_, result_, before_);
  }

 private:
  std::size_t most_;
  Cycle start_, due_;
  ActivityOverTime result_;
  Activity before_;  ///< total at the start of the open interval
};

}  // namespace sassim::arch
