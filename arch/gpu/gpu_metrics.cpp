// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/gpu_metrics.h"

#include <fmt/format.h>

#include "arch/gpu/launch_metrics.h"
#include "arch/gpu/memory_metrics.h"
#include "arch/gpu/throughput_metrics.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

void add_lines(const std::vector<Sm*>& sms, std::vector<LineStalls>& total) {
  for (const Sm* sm : sms) {
    const auto& lines = sm->stalls().lines();
    total.resize(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      total[i].threads += lines[i].threads;
      total[i].traffic.add(lines[i].traffic);
      total[i].threads_executed += lines[i].threads_executed;
      for (std::size_t r = 0; r < kStallReasons; ++r) total[i].cycles[r] += lines[i].cycles[r];
    }
  }
}

void add_stalls(const std::vector<LineStalls>& lines, stats::MetricSet& metrics, double issued) {
  std::array<std::uint64_t, kStallReasons> sums{};
  std::uint64_t threads = 0, executed = 0;
  for (const LineStalls& line : lines) {
    threads += line.threads;
    executed += line.threads_executed;
    for (std::size_t r = 0; r < kStallReasons; ++r) sums[r] += line.cycles[r];
  }
  for (std::size_t r = 0; r < kStallReasons; ++r) {
    const StallRow& row = stall_row(static_cast<StallReason>(r));
    if (row.reason == StallReason::no_warp) continue;
    metrics.sum(fmt::format("sassim__warp_cycles_{}.sum", row.name), "cycle",
                fmt::format("warp cycles: {}", row.meaning), sums[r]);
    if (!counted_by_nsight(row.reason)) continue;
    metrics.set(fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", row.name), "cycle",
                fmt::format("warp cycles per issued instruction: {}", row.meaning),
                ratio(static_cast<double>(sums[r]), issued));
  }
  metrics.sum("smsp__thread_inst_executed.sum", "inst", "thread instructions: active lanes of all warp instructions",
              threads);
  metrics.sum("smsp__thread_inst_executed_pred_on.sum", "inst",
              "thread instructions with a true guard predicate, as far as the trace records predicates", executed);
  metrics.set("smsp__thread_inst_executed_per_inst_executed.ratio", "thread", "active threads per warp instruction",
              ratio(static_cast<double>(threads), issued));
}

/// An eligible warp could issue: it did, or another warp was chosen.
void report_eligible(stats::MetricSet& m, double part_active) {
  const double eligible = m["sassim__warp_cycles_selected.sum"] + m["sassim__warp_cycles_not_selected.sum"];
  m.set("smsp__warps_eligible.sum", "warp", "warps that could issue, summed over the cycles", eligible);
  m.set("smsp__warps_eligible.avg.per_cycle_active", "warp",
        "warps that could issue per active cycle of a processing block", ratio(eligible, part_active));
  const double issued = m["sassim__issue_slots_selected.sum"];
  m.set("smsp__issue_inst0.avg.pct_of_peak_sustained_active", "%",
        "active cycles of a processing block without an issue",
        part_active == 0 ? 0 : 100 - 100 * ratio(issued, part_active));
}

/// Elapsed time from the launch to the end.
void report_elapsed(const KernelRun& run, stats::MetricSet& m) {
  const auto cycles = static_cast<double>(run.cycles.value);
  m.set("gpc__cycles_elapsed.max", "cycle",
        "cycles from the launch to the kernel's end, with its last stores and the flush after them", cycles);
  m.set("sm__cycles_elapsed.max", "cycle", "elapsed cycles as every SM counts them: those of gpc__cycles_elapsed.max",
        cycles);
  m.set("sm__cycles_elapsed.avg", "cycle", "elapsed cycles as every SM counts them: those of gpc__cycles_elapsed.max",
        cycles);
  m.set("gpu__time_duration.sum", "ns",
        "time from the launch to the kernel's end, with its last stores and the flush after them",
        cycles * 1e9 / static_cast<double>(run.config.clock.sm));
}

}  // namespace

void report_beside(const KernelRun& run, const LineRange& lines, std::uint64_t blocks, KernelResult& result) {
  std::vector<LineStalls> all;
  add_lines(run.sms, all);
  result.lines.assign(all.begin() + lines.begin, all.begin() + lines.end);
  for (const LineStalls& line : result.lines) result.warp_instructions += line.cycles[index(StallReason::selected)];
  stats::MetricSet& m = result.metrics;
  const auto issued = static_cast<double>(result.warp_instructions);
  add_stalls(result.lines, m, issued);
  m.sum("smsp__inst_executed.sum", "inst", "warp instructions issued", result.warp_instructions);
  m.sum("smsp__inst_issued.sum", "inst", "warp instructions issued; the model issues none a second time",
        result.warp_instructions);
  m.sum("sm__ctas_launched.sum", "block", "thread blocks that ran", blocks);
  report_elapsed(run, m);
  report_shape(run, m);
}

void report_gpu(const KernelRun& run, KernelResult& result) {
  stats::MetricSet& m = result.metrics;
  for (const Sm* sm : run.sms) sm->report(m);
  run.memory.report(m);
  if (run.memory.has_l2()) run.environment.report(run.cycles, m);
  report_memory_rates(run, m);
  add_lines(run.sms, result.lines);

  const auto sms = static_cast<double>(run.sms.size());
  const double parts = sms * run.config.sm.processing_blocks;
  const auto issued = static_cast<double>(result.warp_instructions);
  const auto cycles = static_cast<double>(run.cycles.value);
  const double active = m["sm__cycles_active.sum"], warps = m["sm__warps_active.sum"];
  const double part_active = parts * cycles - m["sassim__issue_slots_no_warp.sum"];
  add_stalls(result.lines, m, issued);

  report_elapsed(run, m);
  m.set("sm__cycles_active.avg", "cycle", "cycles with at least one warp, average over the SMs", active / sms);
  m.set("smsp__cycles_active.sum", "cycle", "cycles with at least one warp, summed over the processing blocks",
        part_active);
  m.set("smsp__cycles_active.avg", "cycle", "cycles with at least one warp, average over the processing blocks",
        part_active / parts);
  m.set("sm__warps_active.avg.per_cycle_active", "warp", "resident warps per active cycle of an SM",
        ratio(warps, active));
  m.set("sm__warps_active.avg.pct_of_peak_sustained_active", "%",
        "achieved occupancy: resident warps per active cycle of an SM, of the most that it can hold",
        100 * ratio(warps, active * run.config.sm.occupancy.warps));
  m.set("smsp__warps_active.avg.per_cycle_active", "warp", "resident warps per active cycle of a processing block",
        ratio(warps, part_active));
  m.set("smsp__issue_active.avg.pct_of_peak_sustained_active", "%", "active cycles of a processing block with an issue",
        100 * ratio(issued, part_active));
  m.set("smsp__inst_executed.avg.per_cycle_active", "inst", "warp instructions per active cycle of a processing block",
        ratio(issued, part_active));
  m.set("sm__inst_executed.avg.per_cycle_active", "inst", "warp instructions per active cycle of an SM",
        ratio(issued, active));
  m.set("sm__inst_executed.avg.per_cycle_elapsed", "inst", "warp instructions per elapsed cycle of an SM",
        ratio(issued, cycles * sms));
  m.set("smsp__average_warp_latency_per_inst_issued.ratio", "cycle",
        "warp cycles per issued instruction, without those of warps that do not fetch yet",
        ratio(warps - m["sassim__warp_cycles_starting.sum"], issued));
  m.sum("smsp__inst_issued.sum", "inst", "warp instructions issued; the model issues none a second time",
        result.warp_instructions);
  report_eligible(m, part_active);
  report_throughput(run, m);
  report_launch(run, m);
}

}  // namespace sassim::arch
