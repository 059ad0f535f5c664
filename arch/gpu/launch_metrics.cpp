// SPDX-License-Identifier: Apache-2.0
// The launch__ metrics of a kernel: its grid, what limits its occupancy, and how long each phase of the launch took.
#include "arch/gpu/launch_metrics.h"

#include <algorithm>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

const struct ShapeMetrics {
  stats::Derived grid{"launch__grid_size", "block", "thread blocks of the grid"};
  stats::Derived block{"launch__block_size", "thread", "threads per block"};
  stats::Derived threads{"launch__thread_count", "thread", "threads of the grid"};
  stats::Derived sms{"launch__sm_count", "SM", "SMs of the GPU"};
  stats::Derived registers{"launch__registers_per_thread", "register", "registers per thread"};
  stats::Derived shared{"launch__shared_mem_per_block", "byte",
                        "shared memory per block, including what the system reserves in each"};
  stats::Derived carveout{"launch__shared_mem_config_size", "byte",
                          "carve-out: the part of each SM's L1 array that is shared memory"};
  stats::Derived waves{"launch__waves_per_multiprocessor", "wave",
                       "thread blocks of the grid over those that all SMs hold at once"};
  stats::Derived overhead{"sassim__launch_overhead_cycles", "cycle",
                          "cycles that the driver needs for a launch, not part of the elapsed cycles"};
  stats::Derived l1_hit{"sassim__l1_hit_latency.cycles", "cycle",
                        "cycles from a load that hits in the L1 to an instruction that needs its value, if nothing "
                        "delays it"};
} kShape;

const struct LimitMetrics {
  stats::Derived blocks{"launch__occupancy_limit_blocks", "block", "thread blocks that an SM can hold at most"};
  stats::Derived warps{"launch__occupancy_limit_warps", "block", "thread blocks that an SM's warps and threads allow"};
  stats::Derived registers{"launch__occupancy_limit_registers", "block", "thread blocks that an SM's registers allow"};
  stats::Derived shared{"launch__occupancy_limit_shared_mem", "block",
                        "thread blocks that the chosen shared memory of an SM allows"};
  stats::Derived fit{"launch__occupancy_per_sm", "block", "thread blocks that fit an SM"};
  stats::Derived occupancy{"sm__maximum_warps_per_active_cycle_pct", "%",
                           "theoretical occupancy: warps of the blocks that fit an SM, of the most that it can hold"};
} kLimits;

const struct PhaseMetrics {
  stats::Derived launch{"sassim__phase_launch.cycles", "cycle",
                        "cycles from the launch to the start of the first thread block"};
  stats::Derived ramp{"sassim__phase_ramp.cycles", "cycle",
                      "cycles from there until the first thread blocks of all SMs have started"};
  stats::Derived full{"sassim__phase_full.cycles", "cycle",
                      "cycles from there until a thread block ends and none is left to follow it"};
  stats::Derived tail{"sassim__phase_tail.cycles", "cycle", "cycles from there to the end of the last thread block"};
  stats::Derived drain{"sassim__phase_drain.cycles", "cycle",
                       "cycles from there to the kernel's end: stores in flight and flushes"};
  stats::Derived idle{
      "sassim__tail_idle.pct", "%",
      "time of thread block slots that were empty in the tail, of all slots from the first block to the last"};
} kPhases;

void report_limits(const KernelRun& run, stats::CounterValues& m) {
  const config::OccupancyResult& fit = run.occupancy;
  const std::uint64_t by_shared = fit.shared_per_block == 0
                                      ? fit.by_blocks
                                      : std::min<std::uint64_t>(fit.carveout / fit.shared_per_block, 1u << 20);
  m.set(kLimits.blocks, fit.by_blocks);
  m.set(kLimits.warps, fit.by_warps);
  m.set(kLimits.registers, std::min(fit.by_registers, 1u << 20));
  m.set(kLimits.shared, static_cast<double>(by_shared));
  m.set(kLimits.fit, fit.blocks);
  m.set(kLimits.occupancy, 100.0 * fit.blocks * fit.warps_per_block / run.config.sm.occupancy.warps);
}

/// The five phases tile the elapsed cycles. If a block ends before the last of the first blocks has started, the launch
/// is never full.
void report_phases(const KernelRun& run, stats::CounterValues& m) {
  const LaunchPhases& p = run.phases;
  const Cycle end = run.start + run.cycles.value;
  const Cycle first = std::clamp(p.first_start, run.start, end);
  const Cycle filled = std::clamp(p.filled, first, end);
  const Cycle thinning = std::clamp(p.thinning, filled, end);
  const Cycle last = std::clamp(p.last_end, thinning, end);
  const auto phase = [&](const stats::Derived& metric, Cycle from, Cycle to) {
    m.set(metric, static_cast<double>(to.value - from.value));
  };
  phase(kPhases.launch, run.start, first);
  phase(kPhases.ramp, first, filled);
  phase(kPhases.full, filled, thinning);
  phase(kPhases.tail, thinning, last);
  phase(kPhases.drain, last, end);
  const double slots = static_cast<double>(p.slots) * static_cast<double>(last.value - first.value);
  m.set(kPhases.idle, slots == 0 ? 0 : 100 * static_cast<double>(p.idle_slots) / slots);
}

}  // namespace

void report_shape(const KernelRun& run, stats::CounterValues& m) {
  const auto grid = static_cast<double>(run.kernel.grid.count());
  const auto block = static_cast<double>(run.kernel.block.count());
  const double room = static_cast<double>(run.occupancy.blocks) * static_cast<double>(run.sms.size());
  m.set(kShape.grid, grid);
  m.set(kShape.block, block);
  m.set(kShape.threads, grid * block);
  m.set(kShape.sms, static_cast<double>(run.sms.size()));
  m.set(kShape.registers, run.kernel.registers);
  m.set(kShape.shared, static_cast<double>(run.occupancy.shared_per_block));
  m.set(kShape.carveout, static_cast<double>(run.occupancy.carveout));
  m.set(kShape.waves, room == 0 ? 0 : grid / room);
  report_limits(run, m);
  m.set(kShape.overhead, run.config.launch.overhead_cycles);
}

void report_launch(const KernelRun& run, stats::CounterValues& m) {
  report_shape(run, m);
  m.set(kShape.l1_hit, run.config.sm.l1.hit_latency);
  report_phases(run, m);
}

}  // namespace sassim::arch
