// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/launch_metrics.h"

#include <algorithm>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

void report_limits(const KernelRun& run, stats::MetricSet& m) {
  const config::OccupancyResult& fit = run.occupancy;
  const std::uint64_t by_shared = fit.shared_per_block == 0
                                      ? fit.by_blocks
                                      : std::min<std::uint64_t>(fit.carveout / fit.shared_per_block, 1u << 20);
  m.set("launch__occupancy_limit_blocks", "block", "thread blocks that an SM can hold at most", fit.by_blocks);
  m.set("launch__occupancy_limit_warps", "block", "thread blocks that an SM's warps and threads allow", fit.by_warps);
  m.set("launch__occupancy_limit_registers", "block", "thread blocks that an SM's registers allow",
        std::min(fit.by_registers, 1u << 20));
  m.set("launch__occupancy_limit_shared_mem", "block", "thread blocks that the chosen shared memory of an SM allows",
        static_cast<double>(by_shared));
  m.set("launch__occupancy_per_sm", "block", "thread blocks that fit an SM", fit.blocks);
  m.set("sm__maximum_warps_per_active_cycle_pct", "%",
        "theoretical occupancy: warps of the blocks that fit an SM, of the most that it can hold",
        100.0 * fit.blocks * fit.warps_per_block / run.config.sm.occupancy.warps);
}

/// The five phases tile the elapsed cycles. If a block ends before the last of the first blocks has started, the launch
/// is never full.
void report_phases(const KernelRun& run, stats::MetricSet& m) {
  const LaunchPhases& p = run.phases;
  const Cycle end = run.start + run.cycles.value;
  const Cycle first = std::clamp(p.first_start, run.start, end);
  const Cycle filled = std::clamp(p.filled, first, end);
  const Cycle thinning = std::clamp(p.thinning, filled, end);
  const Cycle last = std::clamp(p.last_end, thinning, end);
  const auto phase = [&](const char* name, const char* meaning, Cycle from, Cycle to) {
    m.set(name, "cycle", meaning, static_cast<double>(to.value - from.value));
  };
  phase("sassim__phase_launch.cycles", "cycles from the launch to the start of the first thread block", run.start,
        first);
  phase("sassim__phase_ramp.cycles", "cycles from there until the first thread blocks of all SMs have started", first,
        filled);
  phase("sassim__phase_full.cycles", "cycles from there until a thread block ends and none is left to follow it",
        filled, thinning);
  phase("sassim__phase_tail.cycles", "cycles from there to the end of the last thread block", thinning, last);
  phase("sassim__phase_drain.cycles", "cycles from there to the kernel's end: stores in flight and flushes", last, end);
  const double slots = static_cast<double>(p.slots) * static_cast<double>(last.value - first.value);
  m.set("sassim__tail_idle.pct", "%",
        "time of thread block slots that were empty in the tail, of all slots from the first block to the last",
        slots == 0 ? 0 : 100 * static_cast<double>(p.idle_slots) / slots);
}

}  // namespace

void report_shape(const KernelRun& run, stats::MetricSet& m) {
  const auto grid = static_cast<double>(run.kernel.grid.count());
  const auto block = static_cast<double>(run.kernel.block.count());
  const double room = static_cast<double>(run.occupancy.blocks) * static_cast<double>(run.sms.size());
  m.set("launch__grid_size", "block", "thread blocks of the grid", grid);
  m.set("launch__block_size", "thread", "threads per block", block);
  m.set("launch__thread_count", "thread", "threads of the grid", grid * block);
  m.set("launch__sm_count", "SM", "SMs of the GPU", static_cast<double>(run.sms.size()));
  m.set("launch__registers_per_thread", "register", "registers per thread", run.kernel.registers);
  m.set("launch__shared_mem_per_block", "byte", "shared memory per block, including what the system reserves in each",
        static_cast<double>(run.occupancy.shared_per_block));
  m.set("launch__shared_mem_config_size", "byte", "carve-out: the part of each SM's L1 array that is shared memory",
        static_cast<double>(run.occupancy.carveout));
  m.set("launch__waves_per_multiprocessor", "wave", "thread blocks of the grid over those that all SMs hold at once",
        room == 0 ? 0 : grid / room);
  report_limits(run, m);
  m.set("sassim__launch_overhead_cycles", "cycle",
        "cycles that the driver needs for a launch, not part of the elapsed cycles", run.config.launch.overhead_cycles);
}

void report_launch(const KernelRun& run, stats::MetricSet& m) {
  report_shape(run, m);
  m.set("sassim__l1_hit_latency.cycles", "cycle",
        "cycles from a load that hits in the L1 to an instruction that needs its value, if nothing delays it",
        run.config.sm.l1.hit_latency);
  report_phases(run, m);
}

}  // namespace sassim::arch
