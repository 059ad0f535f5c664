// SPDX-License-Identifier: Apache-2.0
// Metrics derived from the counters of the memory system: hit rates, shares of the peak, and a check that both ends
// agree.
#pragma once

#include "arch/gpu/gpu_metrics.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

/// Adds the rates to `values`, which has the sums of SMs and memory.
void report_memory_rates(const KernelRun& run, stats::CounterValues& values);

double peak_dram_bytes_per_second(const config::GpuConfig& config);

/// Throws std::logic_error if sectors were lost or invented between the tag stages of the L1s and the L2.
void check_traffic(const KernelRun& run, const stats::CounterValues& values);

}  // namespace sassim::arch
