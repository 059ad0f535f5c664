// SPDX-License-Identifier: Apache-2.0
// What follows from the counters of the memory system: hit rates, shares of the peak, and whether both ends agree.
#pragma once

#include "arch/gpu_metrics.h"
#include "sim/stats/metrics.h"

namespace sassim::arch {

/// Adds to the sums that SMs and memory have put into `metrics`.
void report_memory_rates(const KernelRun& run, stats::MetricSet& metrics);

/// Throws std::logic_error when sectors got lost or were made up between the tag stages of the L1s and the L2.
void check_traffic(const KernelRun& run, const stats::MetricSet& metrics);

}  // namespace sassim::arch
