// SPDX-License-Identifier: Apache-2.0
// The metrics of a launch itself (launch__...): what it requested, how much of it fits on an SM, and how long its
// phases took.
#pragma once

#include "arch/gpu/gpu_metrics.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

/// What the launch requested, and how much of it fits on an SM.
void report_shape(const KernelRun& run, stats::CounterValues& values);
/// The same, with the phases, for a launch that ran alone.
void report_launch(const KernelRun& run, stats::CounterValues& values);

}  // namespace sassim::arch
