// SPDX-License-Identifier: Apache-2.0
// Sectors that something beside the kernel writes to the L2 while the kernel runs: the driver or the profiler. They
// take no simulated time.
#pragma once

#include <cstdint>

#include "sim/base/types.h"
#include "sim/config/gpu_config.h"
#include "sim/stats/metrics.h"

namespace sassim::arch {

inline std::uint64_t background_writes(const config::L2Config& config, Cycle since_launch) {
  return since_launch.value * config.background_writes / 1000;
}

/// Adds them to what the slices count.
inline void report_background_writes(const config::L2Config& config, Cycle elapsed, stats::MetricSet& metrics) {
  const std::uint64_t written = background_writes(config, elapsed);
  if (written == 0 || !metrics.has("lts__t_sectors.sum")) return;  // there is no L2
  for (const char* name : {"lts__t_sectors.sum", "lts__t_sectors_lookup_hit.sum", "lts__t_sectors_op_write.sum",
                           "lts__t_sectors_op_write_lookup_hit.sum"})
    metrics.more(name, written);
}

}  // namespace sassim::arch
