// SPDX-License-Identifier: Apache-2.0
// What a kernel has done from its start to one moment, summed over the GPU: the counters that are shown over time.
#pragma once

#include <cstdint>

namespace sassim::arch {

/// Each row is the value of the metric of that name at one moment.
// clang-format off
#define SASSIM_ACTIVITY(row)                                  \
  row(warp_cycles, "sm__warps_active.sum")                    \
  row(active_cycles, "sm__cycles_active.sum")                 \
  row(issued, "smsp__inst_executed.sum")                      \
  row(l1_sectors, "l1tex__t_sectors.sum")                     \
  row(l1_hits, "l1tex__t_sectors_lookup_hit.sum")             \
  row(l2_sectors, "lts__t_sectors.sum")                       \
  row(l2_hits, "lts__t_sectors_lookup_hit.sum")               \
  row(dram_read, "dram__bytes_read.sum")                      \
  row(dram_written, "dram__bytes_write.sum")
// clang-format on

struct Activity {
#define SASSIM_ROW(member, metric) std::uint64_t member = 0;
  SASSIM_ACTIVITY(SASSIM_ROW)
#undef SASSIM_ROW

  /// Calls `visit(metric name, value)` for every row.
  template <class Visit>
  void each(Visit visit) const {
#define SASSIM_ROW(member, metric) visit(metric, member);
    SASSIM_ACTIVITY(SASSIM_ROW)
#undef SASSIM_ROW
  }
  Activity& operator+=(const Activity& o) {
#define SASSIM_ROW(member, metric) member += o.member;
    SASSIM_ACTIVITY(SASSIM_ROW)
#undef SASSIM_ROW
    return *this;
  }
  Activity& operator-=(const Activity& o) {
#define SASSIM_ROW(member, metric) member -= o.member;
    SASSIM_ACTIVITY(SASSIM_ROW)
#undef SASSIM_ROW
    return *this;
  }
};

}  // namespace sassim::arch
