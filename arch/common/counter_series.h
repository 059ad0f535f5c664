// SPDX-License-Identifier: Apache-2.0
// Counts of a kernel over time, in intervals of equal length. Their number is bounded: when the limit is reached, pairs
// of neighbours are merged, and all intervals become twice as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/types.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

/// Every interval has the length `interval`, except the last one, which ends with the kernel.
struct CountsOverTime {
  std::uint64_t interval = 0;  ///< in cycles
  std::vector<stats::Count> counters;
  std::vector<std::vector<std::uint64_t>> intervals;  ///< what each counter counted, in the order of `counters`

  /// Of a counter in an interval; 0 if it is none of `counters`.
  std::uint64_t count(std::size_t of_interval, stats::Counter counter) const;
};

/// Merges pairs of neighbours, which doubles the length of intervals; an odd one stays last.
void merge_neighbours(CountsOverTime&);

class CounterSeries {
 public:
  static constexpr std::uint64_t kFirstInterval = 32;  ///< in cycles, unless a length is requested

  /// Keeps at most `most` intervals, an even number; the first one starts at `start`. `interval` 0: starts with
  /// kFirstInterval.
  CounterSeries(std::vector<stats::Count> counters, std::size_t most, Cycle start, std::uint64_t interval = 0);

  const std::vector<stats::Count>& counters() const { return result_.counters; }
  /// The end of the open interval.
  Cycle due() const { return due_; }
  /// Closes the open interval; `total`: the counts from the kernel's start to due().
  void close(const stats::CounterValues& total);
  /// The kernel ended at `end` with the counts `total`. Intervals that start at or after `end` join the last one before
  /// it.
  CountsOverTime finish(Cycle end, const stats::CounterValues& total);

  /// Without the names of the counters, which must be the same.
  template <class Archive>
  void state(Archive& archive) {
    archive(most_, start_, due_, result_.interval, result_.intervals, before_);
  }

 private:
  std::size_t most_;
  Cycle start_, due_;
  CountsOverTime result_;
  std::vector<std::uint64_t> before_;  ///< the counts at the start of the open interval
};

/// The counts that a series has unless others were chosen: warps, instructions, and traffic of L1, L2 and DRAM.
const std::vector<stats::Count>& usual_series();

/// The names of the counters, by which a checkpoint tells whose counts it has.
std::vector<std::string> names_of(const std::vector<stats::Count>& counters);

}  // namespace sassim::arch
