// SPDX-License-Identifier: Apache-2.0
// Builds the result of a kernel from the counters of its parts: sums over the SMs, and the formulas of Nsight Compute.
#pragma once

#include <vector>

#include "arch/gpu/block_scheduler.h"
#include "arch/gpu/gpu.h"
#include "arch/gpu/sampled_counts.h"
#include "arch/memory/memory_system.h"
#include "arch/sm/sm.h"
#include "sim/config/occupancy.h"
#include "sim/environment/environment.h"

namespace sassim::arch {

/// A kernel that has ended, and the parts of the GPU whose counters its metrics are computed from.
struct KernelRun {
  const config::GpuConfig& config;
  const trace::KernelInfo& kernel;
  const config::OccupancyResult& occupancy;
  Cycle start, cycles;
  const LaunchPhases& phases;
  const std::vector<Sm*>& sms;
  const MemorySystem& memory;
  const environment::Environment& environment;
  const SampledCounts* sampled = nullptr;  ///< what was skipped; `cycles` and `phases` have its time
};

/// Fills `result.metrics` and `result.lines`. Throws std::logic_error if counts at both ends of a path differ.
void report_gpu(const KernelRun& run, KernelResult& result);
/// Adds what the SMs have counted before `now`. Those that wait for a thread block have all counted the same, so one of
/// them starts the kernel and is asked for all.
void report_sms(const std::vector<Sm*>& sms, Cycle now, stats::CounterValues& values);
/// Adds what the SMs have counted for each line.
void add_lines(const std::vector<Sm*>& sms, std::vector<LineStalls>& total);

/// Adds sm__throughput and its parts: how busy parts of an SM were, as shares of their peak. `values` must have the
/// sums of SMs and processing blocks. (throughput_metrics.cpp)
void report_throughput(const KernelRun& run, stats::CounterValues& values);

/// Lines of the static code.
struct LineRange {
  std::uint32_t begin, end;
};
/// Fills `result.metrics`, `result.lines` and `result.warp_instructions` for a launch that ran beside others, with what
/// its lines and its blocks tell.
void report_beside(const KernelRun& run, const LineRange& lines, std::uint64_t blocks, KernelResult& result);

}  // namespace sassim::arch
