// SPDX-License-Identifier: Apache-2.0
// Metrics: what a launch requested, how much of it fits on an SM, and the phases of the launch.
#pragma once

#include "arch/gpu/gpu_metrics.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

/// What the launch requested, and how much of it fits on an SM.
void report_shape(const KernelRun& run, stats::CounterValues& values);
void report_launch(const KernelRun& run, stats::CounterValues& values);

}  // namespace sassim::arch
