// SPDX-License-Identifier: Apache-2.0
// Estimates what each cause costs a kernel. The running time is divided among the reasons for which warps wait. A wait
// goes away with its cause; one for memory belongs to what makes it long: extra sectors, a busy part, or else its
// latency. The limits and the square root below are chosen, so that estimates agree with simulated idealisations
// (validation/results/causes.md).
#include "sim/report/bound_estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/sections.h"

namespace sassim::report {

namespace {

constexpr double kBusy = 0.6;        ///< a part that is busy for this share decides how long its users wait
constexpr double kIssueBusy = 0.75;  ///< of the issue slots
constexpr double kHot = 0.5;         ///< of the busiest atomic unit: then the rest of the memory waits for it
constexpr double kScattered = 1.5;   ///< times the sectors that the data fill
constexpr double kFewThreads = 16;   ///< of an instruction
constexpr double kFewWarps = 50;     ///< percent of the warps that an SM can hold

constexpr const char *kDram = "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                     *kL2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                     *kL1 = "l1tex__throughput.avg.pct_of_peak_sustained_active",
                     *kHottest = "sassim__lts_atomic_hottest.pct_of_peak", *kTailIdle = "sassim__tail_idle.pct";

std::string waits_of(const char* reason) { return fmt::format("sassim__warp_cycles_{}.sum", reason); }

/// The part of the memory that is busiest, and what follows from that.
struct Traffic {
  explicit Traffic(const Facts& f) {
    busy = std::max({f.dram, f.l2, f.l1});
    part = busy == f.dram ? Part::dram : busy == f.l2 ? Part::l2 : Part::l1;
    scattered = f.sectors > kScattered * f.ideal_sectors;
    if (!scattered) return;
    extra = 1 - f.ideal_sectors / f.sectors;
    // The extra sectors of loads that hit still occupy the L1.
    extra_without_loads = part == Part::l1 ? extra : f.extra_of_writes / f.sectors;
  }
  /// DRAM or the L2 is busy: stores wait for it after the last block, too.
  bool shared_part() const { return part != Part::l1 && busy >= kBusy; }
  /// The share of a wait that is spent in a queue: a wait in front of an idle part has none, in front of a part that is
  /// always busy it is nothing else.
  double queueing() const { return std::sqrt(busy); }
  std::string_view name() const {
    return part == Part::dram ? "DRAM" : part == Part::l2 ? "the L2" : "the SM's memory pipeline";
  }
  std::string text() const {
    return fmt::format("{} is {:.0f} % busy {}", name(), 100 * busy,
                       part == Part::l1 ? "while SMs have warps" : "from the first block to the end");
  }
  std::pair<std::string, double> number() const {
    return {part == Part::dram ? "dram_busy_from_first_block.pct"
            : part == Part::l2 ? "l2_busy_from_first_block.pct"
                               : "memory_pipeline_busy_while_sm_active.pct",
            100 * busy};
  }
  const char* metric() const { return part == Part::dram ? kDram : part == Part::l2 ? kL2 : kL1; }

  enum class Part : std::uint8_t { dram, l2, l1 } part;
  double busy = 0;
  bool scattered = false;
  double extra = 0, extra_without_loads = 0;  ///< shares of all sectors
};

std::string hot_text(const Facts& f) {
  return fmt::format("one L2 slice executes atomics for {:.0f} % of the time from the first block to the end",
                     100 * f.hottest);
}

Estimate of_launch(const Facts& f) {
  return {Cause::launch,
          f.percent(f.launch),
          fmt::format("{:.0f} cycles pass before the first block starts", f.launch),
          {"sassim__phase_launch.cycles", "gpc__cycles_elapsed.max"}};
}

std::string_view limiter(const Facts& f) {
  const std::vector<OccupancyLimit> limits = occupancy_limiters(f.m);
  return limits.empty() ? "resources of a block" : limits.front().resource;
}

/// Loads that wait, in front of memory that is not busy.
Estimate of_latency(const Facts& f, const Traffic& traffic) {
  const double waits = f.waits({"long_scoreboard", "tex_throttle"}) + f.index_waits;
  Estimate found{Cause::latency,
                 (waits - f.hits_wait) * (1 - traffic.queueing() * traffic.extra_without_loads),
                 fmt::format("warps wait {:.0f} % of the time for global memory, and no part is busy", waits),
                 {waits_of("long_scoreboard"), "sm__warps_active.avg.pct_of_peak_sustained_active"},
                 {{"waiting_for_memory.pct", waits}}};
  if (traffic.busy >= kBusy || f.hottest >= kHot)
    found.text = fmt::format("warps wait {:.0f} % of the time for global memory", waits);
  const double possible = f.get("sm__maximum_warps_per_active_cycle_pct");
  if (possible > kFewWarps || f.waves < 1) return found;
  found.cause = Cause::occupancy;
  found.gain *= 1 - possible / 100;
  found.text += fmt::format(": {} limit an SM to {:.0f} % of its warps", limiter(f), possible);
  found.evidence.insert(found.evidence.begin(), "sm__maximum_warps_per_active_cycle_pct");
  return found;
}

/// Everything that waits for DRAM or the L2, which are busy, or for stores to leave.
Estimate of_bandwidth(const Facts& f, const Traffic& traffic) {
  const bool dram = traffic.part == Traffic::Part::dram;
  const double waits = f.waits({"long_scoreboard", "tex_throttle", "lg_throttle", "drain"}) + f.index_waits;
  Estimate found{dram ? Cause::dram : Cause::l2,
                 (waits + f.percent(f.drain)) * (1 - traffic.queueing() * traffic.extra),
                 traffic.text(),
                 {traffic.metric(), dram ? "dram__bytes.sum" : "lts__t_sectors.sum"},
                 {traffic.number()}};
  // Without loads, what is written still passes.
  const double written = f.get("dram__bytes_write.sum") / std::max(f.get("dram__bytes.sum"), 1.0);
  if (dram) found.gain = std::min(found.gain, f.percent(f.span) * (1 - traffic.busy * written));
  return found;
}

/// One slice changes words for everybody. With one cycle for each sector it would be as fast as any other slice.
Estimate of_atomics(const Facts& f) {
  const double sectors = f.get("lts__t_sectors_op_red.sum") + f.get("lts__t_sectors_op_atom.sum");
  const double cycles = std::max(f.get("sassim__lts_atomic_cycles_busy.sum"), 1.0);
  return {Cause::atomics,
          f.hottest < kHot ? 0 : f.percent(f.span) * f.hottest * std::max(0.0, 1 - sectors / cycles),
          fmt::format("{}, {:.1f} cycles for a sector", hot_text(f), cycles / std::max(sectors, 1.0)),
          {kHottest, "sassim__lts_atomic_operations.sum"},
          {{"hottest_l2_slice_busy_from_first_block.pct", 100 * f.hottest}}};
}

/// Extra sectors make the waits longer, also the one for the last stores, or occupy the atomic unit for which all
/// others wait.
Estimate of_scatter(const Facts& f, const Traffic& traffic) {
  const double times = f.sectors / std::max(f.ideal_sectors, 1.0);
  const double waits = f.waits({"long_scoreboard", "tex_throttle", "lg_throttle", "drain"}) + f.index_waits;
  Estimate found{
      Cause::uncoalesced,
      (waits + (traffic.shared_part() ? f.percent(f.drain) : 0)) * traffic.queueing() * traffic.extra,
      fmt::format("accesses touch {:.1f} times the sectors that their data fill, and {}", times, traffic.text()),
      {traffic.metric(), waits_of("long_scoreboard")},
      {traffic.number()}};
  if (f.hottest < kHot || f.atomic_sectors == 0) return found;
  const double gain = f.percent(f.span) * f.hottest * (1 - f.ideal_atomic_sectors / f.atomic_sectors);
  if (gain <= found.gain) return found;
  return {Cause::uncoalesced,
          gain,
          fmt::format("accesses touch {:.1f} times the sectors that their data fill, and {}", times, hot_text(f)),
          {kHottest, "sassim__lts_atomic_operations.sum"},
          {{"hottest_l2_slice_busy_from_first_block.pct", 100 * f.hottest}}};
}

/// Waits for shared memory: extra passes, or its latency.
void add_shared(const Facts& f, const Traffic& traffic, std::vector<Estimate>& all) {
  double waits = f.waits({"mio_throttle"}) - f.index_waits + f.waits({"short_scoreboard"}) * f.short_waits_for_shared;
  const double latency = waits;
  const double extra = f.passes == 0 ? 0 : 1 - f.ideal_passes / f.passes;
  // Loads and stores of global memory queue behind the extra passes.
  if (traffic.part == Traffic::Part::l1 && !traffic.scattered) waits += f.waits({"lg_throttle"});
  if (f.passes > kScattered * f.ideal_passes && f.passes > 0)
    all.push_back({Cause::bank_conflicts,
                   waits * extra,
                   fmt::format("bank conflicts multiply the passes of shared memory by {:.1f}, and the SM's memory "
                               "pipeline is {:.0f} % busy while SMs have warps",
                               f.passes / std::max(f.ideal_passes, 1.0), 100 * std::max(f.l1, f.memory_stage)),
                   {kL1, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
                   {{"memory_pipeline_busy_while_sm_active.pct", 100 * std::max(f.l1, f.memory_stage)}}});
  if (std::max(f.l1, f.memory_stage) >= kBusy)
    all.push_back({Cause::l1,
                   waits * (1 - extra),
                   fmt::format("the SM's memory pipeline is {:.0f} % busy while SMs have warps",
                               100 * std::max(f.l1, f.memory_stage)),
                   {kL1},
                   {{"memory_pipeline_busy_while_sm_active.pct", 100 * std::max(f.l1, f.memory_stage)}}});
  else
    all.push_back({Cause::shared_memory,
                   latency * (1 - extra),
                   fmt::format("warps wait {:.0f} % of the time for shared memory", latency),
                   {waits_of("short_scoreboard"), waits_of("mio_throttle")}});
}

/// Arithmetic: waits for results, for a pipe, for a turn to issue.
void add_arithmetic(const Facts& f, std::vector<Estimate>& all) {
  const double results = f.waits({"short_scoreboard"}) * (1 - f.short_waits_for_shared);
  const bool queued = f.pipe != nullptr && f.pipe->queued && f.pipe_busy >= kBusy;
  const double waits = f.waits({"wait", "branch_resolving"}) + (queued ? 0 : results);
  // Instructions that follow each other at once occupy their pipes all the same.
  const double spare = std::max(0.0, 1 - f.pipes_together - f.l1);
  all.push_back({Cause::dependences,
                 std::min(waits, f.percent(f.running) * spare),
                 fmt::format("warps wait {:.0f} % of the time for results of their own arithmetic", waits),
                 {waits_of("wait"), waits_of("short_scoreboard")},
                 {{"waiting_for_results.pct", waits}}});
  if (f.pipe != nullptr)
    all.push_back({f.pipe->cause,
                   f.waits({"math_pipe_throttle"}) + (queued ? results : 0),
                   fmt::format("{} is {:.0f} % busy while SMs have warps", f.pipe->phrase, 100 * f.pipe_busy),
                   {fmt::format("sm__pipe_{}_cycles_active.avg.pct_of_peak_sustained_elapsed", f.pipe->name),
                    waits_of("math_pipe_throttle")},
                   {{fmt::format("{}_busy_while_sm_active.pct", f.pipe->name), 100 * f.pipe_busy}}});
  if (f.issue >= kIssueBusy)
    all.push_back({Cause::issue,
                   f.waits({"not_selected", "dispatch_stall"}),
                   fmt::format("{:.0f} % of the issue slots are used", 100 * f.issue),
                   {"smsp__issue_active.avg.pct_of_peak_sustained_active"}});
  if (f.threads > 0 && f.threads <= kFewThreads)
    all.push_back({Cause::divergence,
                   (1 - f.threads / 32) * f.waits({"selected", "wait", "not_selected", "math_pipe_throttle",
                                                   "dispatch_stall", "branch_resolving"}),
                   fmt::format("instructions run for {:.1f} of 32 threads on average", f.threads),
                   {"smsp__thread_inst_executed_per_inst_executed.ratio"}});
}

struct WaitRow {
  Cause cause;
  const char* reason;
  std::string_view what;
};
constexpr WaitRow kWaitRows[] = {{Cause::instruction_cache, "no_instruction", "their next instruction"},
                                 {Cause::constants, "imc_miss", "constants"},
                                 {Cause::barrier, "barrier", "other warps of their block"},
                                 {Cause::fence, "membar", "memory fences"},
                                 {Cause::sleep, "sleeping", "the end of a sleep"}};

/// Blocks that no SM can take over from another one: the last ones of several waves.
Estimate of_tail(const Facts& f) {
  const double idle = f.get(kTailIdle);
  // More SMs would only wait for a part that all of them share and that is busy.
  return {Cause::tail,
          f.waves <= 1 ? 0 : f.percent(f.running) * idle / 100 * std::max(0.0, 1 - std::max(f.dram, f.l2)),
          fmt::format("{:.2g} waves: while the last blocks run, places for other blocks are empty for {:.0f} % of the "
                      "time",
                      f.waves, idle),
          {kTailIdle, "launch__waves_per_multiprocessor", "sassim__phase_tail.cycles"}};
}

Estimate of_drain(const Facts& f) {
  return {Cause::write_drain,
          f.percent(f.drain),
          fmt::format("stores and reductions are in flight for {:.0f} % of the time after the last block",
                      f.percent(f.drain)),
          {"sassim__phase_drain.cycles"}};
}

}  // namespace

std::vector<Estimate> estimates(const Facts& f) {
  const Traffic traffic(f);
  std::vector<Estimate> all = {of_launch(f), of_atomics(f), of_tail(f)};
  all.push_back(traffic.shared_part() ? of_bandwidth(f, traffic) : of_latency(f, traffic));
  if (traffic.scattered) all.push_back(of_scatter(f, traffic));
  if (!traffic.shared_part() && f.hottest < kHot) all.push_back(of_drain(f));
  add_shared(f, traffic, all);
  add_arithmetic(f, all);
  for (const WaitRow& row : kWaitRows) {
    const double waits = f.waits({row.reason});
    all.push_back({row.cause,
                   waits,
                   fmt::format("warps wait {:.0f} % of the time for {}", waits, row.what),
                   {waits_of(row.reason)},
                   {{"waiting.pct", waits}}});
  }
  std::stable_sort(all.begin(), all.end(), [](const Estimate& a, const Estimate& b) { return a.gain > b.gain; });
  return all;
}

}  // namespace sassim::report
