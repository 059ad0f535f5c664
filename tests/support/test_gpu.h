// SPDX-License-Identifier: Apache-2.0
// An SM on its own, between doubles: fixed latencies behind it, thread blocks placed at cycle 0.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arch/sm/code/static_code.h"
#include "arch/sm/sm.h"
#include "sim/config/gpu_config.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {

/// A Volta-like SM: 4-cycle math at half rate, no instruction-cache misses. Tests change what they are about.
config::GpuConfig volta();
/// The SM of Ampere as Huerta et al. (arXiv:2503.20481) describe it: FFMA at full rate, HADD2 with 5 cycles of latency.
config::GpuConfig ampere();
/// A bundled configuration whose instructions are always at hand.
config::GpuConfig without_code_misses(const std::string& name);

struct SmRun {
  Cycle cycles;  ///< to the end of the last block
  std::uint64_t issued = 0;
  struct Issue {
    std::uint32_t warp, line;  ///< warp within its thread block
    std::uint64_t block;
    std::uint64_t cycle, result;
  };
  std::vector<Issue> issues;      ///< in order of time
  std::vector<ClockRead> clocks;  ///< in order of time
  std::vector<LineStalls> lines;
  std::vector<std::array<std::uint64_t, kStallReasons>> slots;  ///< per processing block
  std::uint64_t warp_cycles = 0;
  stats::MetricSet metrics;

  /// Clock values of a warp, in order.
  std::vector<std::uint64_t> clock_of(std::uint32_t warp) const;
  /// Issue cycles of a line by a warp.
  std::vector<std::uint64_t> issues_of(std::uint32_t warp, std::uint32_t line) const;
  std::uint64_t warp_reason(StallReason reason) const;
};

/// Runs all blocks of the kernel at once on one SM, behind it fixed latencies.
SmRun run_sm(const config::GpuConfig& config, const SassKernel& kernel, Cycle limit = Cycle(100'000'000));
SmRun run_sm(const config::GpuConfig& config, trace::BlockSource& source, bool record = false,
             Cycle limit = Cycle(100'000'000));

/// The same with the real memory pipeline in front of a memory of `config.memory.fixed_latency`.
SmRun run_sm_with_memory(const config::GpuConfig& config, const SassKernel& kernel);

}  // namespace sassim::arch::test
