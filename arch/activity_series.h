// SPDX-License-Identifier: Apache-2.0
// A kernel's activity over time, in intervals of equal length. Their number is bounded: when there is no room for
// another one, neighbours become one, and the intervals that follow are twice as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arch/common/activity.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// Every interval is as long as `interval`; the last one ends when the kernel does.
struct ActivityOverTime {
  std::uint64_t interval = 0;  ///< cycles
  std::vector<Activity> intervals;
};

/// Two neighbours become one interval, which is twice as long; an odd one stays the last.
void merge_neighbours(ActivityOverTime&);

class ActivitySeries {
 public:
  static constexpr std::uint64_t kFirstInterval = 32;  ///< cycles, unless a length is asked for

  /// At most `most` intervals, an even number; the first begins at `start`. `interval` 0: begins with kFirstInterval.
  ActivitySeries(std::size_t most, Cycle start, std::uint64_t interval = 0);

  /// The end of the interval that is open.
  Cycle due() const { return due_; }
  /// Closes the open interval: `total` is what was done from the kernel's start to due().
  void close(const Activity& total);
  /// The kernel ended at `end` and did `total`. Intervals from `end` on join the last one before it.
  ActivityOverTime finish(Cycle end, const Activity& total);

  template <class Archive>
  void state(Archive& archive) {
    archive(most_, start_, due_, result_, before_);
  }

 private:
  std::size_t most_;
  Cycle start_, due_;
  ActivityOverTime result_;
  Activity before_;  ///< at the beginning of the open interval
};

}  // namespace sassim::arch
