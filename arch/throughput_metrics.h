// SPDX-License-Identifier: Apache-2.0
// Shares of the peak of an SM's parts.
#pragma once

#include "arch/gpu_metrics.h"
#include "sim/stats/metrics.h"

namespace sassim::arch {

/// sm__throughput and what it is the largest of. Needs the sums of SMs and processing blocks in `metrics`.
void report_throughput(const KernelRun& run, stats::MetricSet& metrics);

}  // namespace sassim::arch
