// SPDX-License-Identifier: Apache-2.0
// Tells an observer what a launch does, in intervals of a fixed length (RunOptions::interval).
#pragma once

#include <algorithm>

#include "arch/gpu/gpu.h"

namespace sassim::arch {

class ObservedIntervals {
 public:
  ObservedIntervals(const RunOptions& options, Cycle start)
      : tell_(options.interval), every_(options.interval_cycles), start_(start), from_(start) {}

  Cycle due() const { return from_ + every_; }
  /// `total`: the activity from the start of the launch to due().
  void close(const Activity& total) { tell(due(), total); }
  /// The launch ended. An interval that began after that is none: its activity was told with the last one.
  void finish(Cycle end, const Activity& total) { tell(std::max(end, from_), total); }

 private:
  void tell(Cycle until, const Activity& total) {
    Activity counted = total;
    counted -= before_;
    tell_(Cycle(from_.value - start_.value), Cycle(until.value - start_.value), counted);
    before_ = total;
    from_ = until;
  }

  std::function<void(Cycle, Cycle, const Activity&)> tell_;
  std::uint64_t every_;
  Cycle start_, from_;
  Activity before_;
};

}  // namespace sassim::arch
