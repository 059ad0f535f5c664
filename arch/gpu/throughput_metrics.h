// SPDX-License-Identifier: Apache-2.0
// Metrics: how busy an SM's parts were, as shares of their peak.
#pragma once

#include "arch/gpu/gpu_metrics.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

/// Adds sm__throughput and its parts, of which it is the largest. `values` must have the sums of SMs and processing
/// blocks.
void report_throughput(const KernelRun& run, stats::CounterValues& values);

}  // namespace sassim::arch
