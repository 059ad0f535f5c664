// SPDX-License-Identifier: Apache-2.0
// The numbers from which the causes that bound a kernel are estimated. Shares are from 0 to 1, times are percent of the
// elapsed cycles.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/bound.h"

namespace sassim::report {

/// What keeps a pipe busy.
struct PipeRow {
  std::string_view name;  ///< in metrics
  Cause cause;
  std::string_view phrase;
  bool queued;  ///< warps wait for its results and not for its input
};

struct Facts {
  explicit Facts(const KernelReport& kernel);

  double get(std::string_view name) const {
    const stats::Metric* metric = m.find(name);
    return metric == nullptr ? 0 : metric->value;
  }
  /// Percent of the elapsed cycles for which warps waited for these reasons: their share of the warps' cycles, of the
  /// time from the first block to the last.
  double waits(std::initializer_list<const char*> reasons) const;
  /// A percentage of the elapsed cycles, as a share of the time from the first block to the kernel's end.
  double busy(std::string_view name) const { return get(name) * elapsed / span / 100; }
  double percent(double cycles) const { return 100 * cycles / elapsed; }

  const stats::MetricSet& m;
  double elapsed = 1, launch = 0, drain = 0;  ///< cycles: all; before the first block; after the last one, for stores
  double running = 1;                         ///< cycles from the first block to the last
  double span = 1;                            ///< with the drain
  double awake = 0;                           ///< share of the elapsed cycles in which an SM has warps
  double grid = 0, blocks = 0;                ///< blocks: those that ran, fewer than the grid's in a slice of a launch
  double waves = 0;                           ///< of the blocks that ran
  double threads = 0;                         ///< per instruction

  // Busy parts.
  double dram = 0, l2 = 0, hottest = 0;        ///< of the span; hottest: the busiest atomic unit
  double l1 = 0, memory_stage = 0, issue = 0;  ///< of the time that SMs have warps
  const PipeRow* pipe = nullptr;               ///< the busiest one
  double pipe_busy = 0, pipes_together = 0;    ///< of the time that SMs have warps

  // Accesses.
  double sectors = 0, ideal_sectors = 0;  ///< of global and local memory
  double extra_of_writes = 0;             ///< the extra sectors that no load asked for
  double atomic_sectors = 0, ideal_atomic_sectors = 0;
  double hits_wait = 0;  ///< percent of the elapsed cycles that loads would be waited for if all of them hit in the L1
  double passes = 0, ideal_passes = 0;  ///< of shared memory
  double index_waits = 0;               ///< percent of the time: reads of a thread's index behind accesses to memory
  double short_waits_for_shared = 0;    ///< of the waits of short_scoreboard, the share that is for shared memory

 private:
  void count_accesses(const KernelReport& kernel);
  void find_pipes();

  std::map<std::string, double, std::less<>> stalls_;
  double warp_cycles_ = 0;
};

}  // namespace sassim::report
