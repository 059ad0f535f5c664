// SPDX-License-Identifier: Apache-2.0
// The cycles of all warps per line of SASS and stall reason. Every cycle of a resident warp is counted exactly once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
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

/// Counts of 16 bits, and what exceeds them apart, so that those of a loop stay in the caches of the host.
class StallTable {
 public:
  void start_kernel(std::size_t lines) {
    low_.assign(lines, {});
    high_.clear();
  }
  /// Lines of a launch that runs beside the others.
  void extend(std::size_t lines) { low_.resize(lines); }
  void add(CodeLine line, StallReason reason, std::uint64_t cycles) {
    if (const std::uint64_t rest = add(line, kReasons + index(reason), cycles))
      carry(line, kReasons + index(reason), rest);
  }
  void add(CodeLine line, const LineTraffic& traffic);
  /// A warp instruction has issued. The second of a pair has no cycle of its own.
  void issued(CodeLine line, std::uint32_t threads, std::uint32_t executed, bool second) {
    const std::size_t how = second ? kSecond : kReasons + index(StallReason::selected);
    const std::uint64_t a = add(line, kThreads, threads), b = add(line, kExecuted, executed), c = add(line, how, 1);
    if ((a | b | c) != 0) carry(line, kThreads, a), carry(line, kExecuted, b), carry(line, how, c);
  }
  /// Adds the counts to those of the same lines.
  void add_to(std::vector<LineStalls>& total) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(low_, high_);
    if constexpr (Archive::kLoading)
      if (!high_.empty() && high_.rbegin()->first >= low_.size()) archive.damaged("it counts stalls of no line");
  }

 private:
  /// The places of counts, in the order of LineStalls::each().
  static constexpr std::size_t kThreads = 0, kExecuted = 1, kSecond = 2, kTraffic = 3, kReasons = 8,
                               kCounts = kReasons + kStallReasons;
  static constexpr unsigned kBits = 16;

  /// Returns what does not fit, in units of 2^kBits.
  std::uint64_t add(CodeLine line, std::size_t place, std::uint64_t more) {
    std::uint16_t& count = low_[line][place];
    const std::uint64_t sum = count + more;
    count = static_cast<std::uint16_t>(sum);
    return sum >> kBits;
  }
  void carry(CodeLine line, std::size_t place, std::uint64_t rest);

  using Counts = std::array<std::uint16_t, kCounts>;
  std::vector<Counts> low_;
  std::map<std::uint32_t, std::array<std::uint64_t, kCounts>> high_;  ///< of lines with larger counts
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
