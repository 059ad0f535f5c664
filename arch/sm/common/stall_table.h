// SPDX-License-Identifier: Apache-2.0
// The cycles of all warps per line of SASS and stall reason. Every cycle of a resident warp is counted exactly once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/common/stall_reason.h"
#include "sim/base/types.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

using StallCycles = std::array<std::uint64_t, kStallReasons>;

/// Work that the memory instructions of one line caused in the L1 or in shared memory.
struct LineTraffic {
  std::uint64_t requests = 0;       ///< warp instructions with at least one lane
  std::uint64_t sectors = 0;        ///< sectors that the L1 looked up
  std::uint64_t ideal_sectors = 0;  ///< the fewest sectors that could hold the same data
  std::uint64_t passes = 0;         ///< passes of the data stage
  std::uint64_t ideal_passes = 0;   ///< passes if there were no bank conflicts

  void add(const LineTraffic& more) {
    requests += more.requests, sectors += more.sectors, ideal_sectors += more.ideal_sectors;
    passes += more.passes, ideal_passes += more.ideal_passes;
  }
};

struct LineStalls {
  std::uint64_t threads = 0;           ///< thread instructions: active lanes, summed over all issues
  std::uint64_t threads_executed = 0;  ///< the part of `threads` whose guard is true, if the trace records it
  std::uint64_t second = 0;            ///< warp instructions that issued as the second of a pair
  LineTraffic traffic;
  StallCycles cycles{};  ///< `selected` is the number of other warp instructions issued

  /// All warp instructions issued.
  std::uint64_t issued() const { return cycles[index(StallReason::selected)] + second; }

  /// Calls `change(here, of_other)` for each pair of counts.
  template <class Change>
  void each(const LineStalls& other, Change change) {
    change(threads, other.threads), change(threads_executed, other.threads_executed);
    change(second, other.second);
    change(traffic.requests, other.traffic.requests), change(traffic.sectors, other.traffic.sectors);
    change(traffic.ideal_sectors, other.traffic.ideal_sectors), change(traffic.passes, other.traffic.passes);
    change(traffic.ideal_passes, other.traffic.ideal_passes);
    for (std::size_t r = 0; r < kStallReasons; ++r) change(cycles[r], other.cycles[r]);
  }
};

/// Adds the counts of these lines. `open`: cycles of resident warps that no line has yet.
void report_lines(const std::vector<LineStalls>& lines, const StallCycles& open, stats::CounterValues& values);
/// The count of report_lines() for a reason other than no_warp.
stats::Counter warp_cycles(StallReason reason);
/// Whether the count is one of report_lines().
bool counted_by_line(stats::Counter counter);

class StallTable {
 public:
  void start_kernel(std::size_t lines) { lines_.assign(lines, LineStalls{}); }
  /// Lines of a launch that runs beside the others.
  void extend(std::size_t lines) { lines_.resize(lines); }
  LineStalls& operator[](CodeLine line) { return lines_[line]; }
  const std::vector<LineStalls>& lines() const { return lines_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(lines_);
  }

 private:
  std::vector<LineStalls> lines_;
};

/// The issue slots of a processing block: in each cycle it issues, or loses the slot for one reason.
class IssueSlots {
 public:
  void start(Cycle now) { counted_ = now; }
  /// The cycles before `now` count for the reason of idle(), and the cycle `now` for `reason` (selected: an issue).
  void count(Cycle now, StallReason reason) {
    cycles_[index(idle_)] += now.value - counted_.value;
    ++cycles_[index(reason)];
    counted_ = now + 1;
  }
  /// Sets the reason for which the cycles until the next count() are lost.
  void idle(StallReason reason) { idle_ = reason; }
  void finish(Cycle now) {
    if (now > counted_)
      cycles_[index(idle_)] += now.value - counted_.value;
    else  // an SM without warps may have counted cycles beyond the end
      cycles_[index(StallReason::no_warp)] -= counted_.value - now.value;
    counted_ = now;
  }
  const StallCycles& cycles() const { return cycles_; }
  /// What cycles() is after finish(now).
  StallCycles until(Cycle now) const {
    IssueSlots ended = *this;
    ended.finish(now);
    return ended.cycles_;
  }
  void clear() { cycles_.fill(0); }

  template <class Archive>
  void state(Archive& archive) {
    archive(cycles_, idle_, counted_);
  }

 private:
  StallCycles cycles_{};
  StallReason idle_ = StallReason::no_warp;
  Cycle counted_;
};

}  // namespace sassim::arch
