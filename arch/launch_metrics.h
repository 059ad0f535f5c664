// SPDX-License-Identifier: Apache-2.0
// What a launch asked for, how much of it fits an SM, and the time line of the launch.
#pragma once

#include "arch/gpu_metrics.h"
#include "sim/stats/metrics.h"

namespace sassim::arch {

void report_launch(const KernelRun& run, stats::MetricSet& metrics);

}  // namespace sassim::arch
