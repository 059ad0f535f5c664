// SPDX-License-Identifier: Apache-2.0
// Tells who asked for it (RunOptions::intervals) what a running launch has counted, once for each interval of a fixed
// length.
#pragma once

#include <algorithm>
#include <utility>

#include "arch/gpu/gpu.h"

namespace sassim::arch {

class ObservedIntervals {
 public:
  ObservedIntervals(const RunOptions& options, Cycle start)
      : report_(options.intervals.tell),
        counters_(options.series_counters),
        every_(options.intervals.cycles),
        start_(start),
        from_(start),
        before_(counters_.size()) {}

  const std::vector<stats::Count>& counters() const { return counters_; }

  Cycle due() const { return from_ + every_; }
  /// `total`: the counts from the start of the launch to due().
  void close(const stats::CounterValues& total) { tell(due(), total); }
  /// The launch ended. An interval that began after that is none: its counts were told with the last one.
  void finish(Cycle end, const stats::CounterValues& total) { tell(std::max(end, from_), total); }

 private:
  void tell(Cycle until, const stats::CounterValues& total) {
    std::vector<std::uint64_t> counts;
    for (std::size_t i = 0; i < counters_.size(); ++i) {
      const std::uint64_t now = total.count(counters_[i]);
      counts.push_back(now - std::exchange(before_[i], now));
    }
    report_(Cycle(from_.value - start_.value), Cycle(until.value - start_.value), counts);
    from_ = until;
  }

  std::function<void(Cycle, Cycle, const std::vector<std::uint64_t>&)> report_;
  std::vector<stats::Count> counters_;
  std::uint64_t every_;
  Cycle start_, from_;
  std::vector<std::uint64_t> before_;  ///< the counts at the start of the open interval
};

}  // namespace sassim::arch
