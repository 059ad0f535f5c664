// SPDX-License-Identifier: Apache-2.0
// Metrics of a kernel and its warps: elapsed and active cycles, occupancy, IPC, stalls per instruction.
#include "arch/gpu/gpu_metrics.h"

#include <fmt/format.h>

#include "arch/gpu/launch_metrics.h"
#include "arch/gpu/memory_metrics.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

/// What the formulas read.
const struct SmNames {
  stats::CountName executed{"smsp__inst_executed.sum"}, issued{"smsp__inst_issued.sum"};
  stats::CountName blocks{"sm__ctas_launched.sum"};
  stats::CounterName threads{"smsp__thread_inst_executed.sum"};
  stats::CounterName cycles_active{"sm__cycles_active.sum"}, warps_active{"sm__warps_active.sum"};
  stats::CounterName slots_selected{"sassim__issue_slots_selected.sum"},
      slots_no_warp{"sassim__issue_slots_no_warp.sum"};
} kSms;

std::vector<std::pair<StallReason, stats::Derived>> reasons_per_issue() {
  std::vector<std::pair<StallReason, stats::Derived>> all;
  for (std::size_t r = 0; r < kStallReasons; ++r)
    if (const StallRow& row = stall_row(static_cast<StallReason>(r)); counted_by_nsight(row.reason))
      all.emplace_back(
          row.reason,
          stats::Derived(fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", row.name), "cycle",
                         fmt::format("warp cycles per issued instruction: {}", row.meaning)));
  return all;
}

const struct WarpStateMetrics {
  std::vector<std::pair<StallReason, stats::Derived>> reasons = reasons_per_issue();
  stats::Derived threads_per_inst{"smsp__thread_inst_executed_per_inst_executed.ratio", "thread",
                                  "active threads per warp instruction"};
  stats::Derived latency{"smsp__average_warp_latency_per_inst_issued.ratio", "cycle",
                         "warp cycles per issued instruction, without those of warps that do not fetch yet"};
  stats::Derived eligible{"smsp__warps_eligible.sum", "warp", "warps that could issue, summed over the cycles"};
  stats::Derived eligible_per_cycle{"smsp__warps_eligible.avg.per_cycle_active", "warp",
                                    "warps that could issue per active cycle of a processing block"};
  stats::Derived no_issue{"smsp__issue_inst0.avg.pct_of_peak_sustained_active", "%",
                          "active cycles of a processing block without an issue"};
} kWarpStates;

const struct ElapsedMetrics {
  stats::Derived gpc{"gpc__cycles_elapsed.max", "cycle",
                     "cycles from the launch to the kernel's end, with its last stores and the flush after them"};
  stats::Derived sm_max{"sm__cycles_elapsed.max", "cycle",
                        "elapsed cycles as every SM counts them: those of gpc__cycles_elapsed.max"};
  stats::Derived sm_avg{"sm__cycles_elapsed.avg", "cycle",
                        "elapsed cycles as every SM counts them: those of gpc__cycles_elapsed.max"};
  stats::Derived time{"gpu__time_duration.sum", "ns",
                      "time from the launch to the kernel's end, with its last stores and the flush after them"};
} kElapsed;

const struct ActiveMetrics {
  stats::Derived sm_cycles{"sm__cycles_active.avg", "cycle", "cycles with at least one warp, average over the SMs"};
  stats::Derived part_cycles{"smsp__cycles_active.sum", "cycle",
                             "cycles with at least one warp, summed over the processing blocks"};
  stats::Derived part_cycles_avg{"smsp__cycles_active.avg", "cycle",
                                 "cycles with at least one warp, average over the processing blocks"};
  stats::Derived sm_warps{"sm__warps_active.avg.per_cycle_active", "warp", "resident warps per active cycle of an SM"};
  stats::Derived occupancy{
      "sm__warps_active.avg.pct_of_peak_sustained_active", "%",
      "achieved occupancy: resident warps per active cycle of an SM, of the most that it can hold"};
  stats::Derived part_warps{"smsp__warps_active.avg.per_cycle_active", "warp",
                            "resident warps per active cycle of a processing block"};
  stats::Derived issue{"smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
                       "active cycles of a processing block with an issue"};
  stats::Derived part_ipc{"smsp__inst_executed.avg.per_cycle_active", "inst",
                          "warp instructions per active cycle of a processing block"};
  stats::Derived sm_ipc{"sm__inst_executed.avg.per_cycle_active", "inst",
                        "warp instructions per active cycle of an SM"};
  stats::Derived sm_ipc_elapsed{"sm__inst_executed.avg.per_cycle_elapsed", "inst",
                                "warp instructions per elapsed cycle of an SM"};
} kActive;

void report_stalls(const std::vector<LineStalls>& lines, stats::CounterValues& m, double issued) {
  report_lines(lines, {}, m);
  for (const auto& [reason, metric] : kWarpStates.reasons) m.set(metric, ratio(m[warp_cycles(reason)], issued));
  m.set(kWarpStates.threads_per_inst, ratio(m[kSms.threads], issued));
}

/// An eligible warp could issue: it did, or another warp was chosen.
void report_eligible(stats::CounterValues& m, double part_active) {
  const double eligible = m[warp_cycles(StallReason::selected)] + m[warp_cycles(StallReason::not_selected)];
  m.set(kWarpStates.eligible, eligible);
  m.set(kWarpStates.eligible_per_cycle, ratio(eligible, part_active));
  m.set(kWarpStates.no_issue, part_active == 0 ? 0 : 100 - 100 * ratio(m[kSms.slots_selected], part_active));
}

/// Elapsed time from the launch to the end.
void report_elapsed(const KernelRun& run, stats::CounterValues& m) {
  const auto cycles = static_cast<double>(run.cycles.value);
  for (const stats::Derived& metric : {kElapsed.gpc, kElapsed.sm_max, kElapsed.sm_avg}) m.set(metric, cycles);
  m.set(kElapsed.time, cycles * 1e9 / static_cast<double>(run.config.clock.sm));
}

void report_active(const KernelRun& run, double issued, stats::CounterValues& m) {
  const auto sms = static_cast<double>(run.sms.size());
  const double parts = sms * run.config.sm.processing_blocks;
  const auto cycles = static_cast<double>(run.cycles.value);
  const double active = m[kSms.cycles_active], warps = m[kSms.warps_active];
  const double part_active = parts * cycles - m[kSms.slots_no_warp];
  m.set(kActive.sm_cycles, active / sms);
  m.set(kActive.part_cycles, part_active);
  m.set(kActive.part_cycles_avg, part_active / parts);
  m.set(kActive.sm_warps, ratio(warps, active));
  m.set(kActive.occupancy, 100 * ratio(warps, active * run.config.sm.occupancy.warps));
  m.set(kActive.part_warps, ratio(warps, part_active));
  m.set(kActive.issue, 100 * ratio(m[kSms.slots_selected], part_active));
  m.set(kActive.part_ipc, ratio(issued, part_active));
  m.set(kActive.sm_ipc, ratio(issued, active));
  m.set(kActive.sm_ipc_elapsed, ratio(issued, cycles * sms));
  m.set(kWarpStates.latency, ratio(warps - m[warp_cycles(StallReason::starting)], issued));
  report_eligible(m, part_active);
}

/// What the parts of the GPU have counted, and the blocks that were skipped would have.
stats::CounterValues counts_of(const KernelRun& run) {
  stats::CounterValues m;
  Cycle end = run.start + run.cycles.value;
  if (run.sampled != nullptr) end = end - run.sampled->skipped_cycles();
  report_sms(run.sms, end, m);
  run.memory.report(m);
  check_traffic(run, m);
  if (run.sampled == nullptr) return m;
  const std::uint64_t blocks = m.count(kSms.blocks) + run.sampled->skipped_blocks();
  run.sampled->complete(m);
  m.replace(kSms.blocks, blocks);
  return m;
}

}  // namespace

void report_sms(const std::vector<Sm*>& sms, Cycle now, stats::CounterValues& m) {
  Sm* one = nullptr;
  std::uint64_t without_blocks = 0;
  for (Sm* sm : sms) {
    if (!sm->waits() && !sm->stands_for_others()) {
      sm->report(m, now);
      continue;
    }
    ++without_blocks;
    if (one == nullptr || one->waits()) one = sm;
  }
  if (one == nullptr) return;
  one->end_wait();
  one->report(m, now);
  stats::CounterValues each;  // for the others, whose largest and smallest values are the same
  one->report(each, now);
  for (const stats::Counter counter : stats::counters())
    if (counter.row().kind == stats::CounterKind::count && each.has(counter))
      m.sum(stats::Count(counter), each.count(counter) * (without_blocks - 1));
}

void add_lines(const std::vector<Sm*>& sms, std::vector<LineStalls>& total) {
  for (const Sm* sm : sms)
    if (!sm->waits()) sm->stalls().add_to(total);
}

void report_beside(const KernelRun& run, const LineRange& lines, std::uint64_t blocks, KernelResult& result) {
  std::vector<LineStalls> all;
  add_lines(run.sms, all);
  result.lines.assign(all.begin() + lines.begin, all.begin() + lines.end);
  for (const LineStalls& line : result.lines) result.warp_instructions += line.issued();
  stats::CounterValues m;
  report_stalls(result.lines, m, static_cast<double>(result.warp_instructions));
  m.sum(kSms.executed, result.warp_instructions);
  m.sum(kSms.issued, result.warp_instructions);
  m.sum(kSms.blocks, blocks);
  report_elapsed(run, m);
  report_shape(run, m);
  result.metrics = m.metrics();
}

void report_gpu(const KernelRun& run, KernelResult& result) {
  stats::CounterValues m = counts_of(run);
  if (run.memory.has_l2()) {
    run.environment.report(run.cycles, m);
    run.environment.report_profiler(m);
  }
  report_memory_rates(run, m);
  add_lines(run.sms, result.lines);
  if (run.sampled != nullptr) run.sampled->complete(result.lines);
  const auto issued = static_cast<double>(result.warp_instructions);
  report_stalls(result.lines, m, issued);
  report_elapsed(run, m);
  report_active(run, issued, m);
  report_throughput(run, m);
  report_launch(run, m);
  result.metrics = m.metrics();
}

}  // namespace sassim::arch
