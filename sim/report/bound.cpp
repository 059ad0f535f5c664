// SPDX-License-Identifier: Apache-2.0
// The order of the questions: is there work for the whole GPU at all; is a part of it busy; what do warps wait for.
// The thresholds are chosen: a part that is taken for 60 % of the time that blocks ran holds the others up.
#include "sim/report/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/report/bound_where.h"
#include "sim/report/sections.h"

namespace sassim::report {

namespace {

constexpr double kMostly = 50, kBusy = 60, kIssueBusy = 75, kTailIdle = 25, kFewThreads = 16;
constexpr const char* kTailIdleMetric = "sassim__tail_idle.pct";

/// The numbers that decide.
struct Facts {
  explicit Facts(const KernelReport& kernel) : m(kernel.metrics) {
    elapsed = get("gpc__cycles_elapsed.max");
    launch = get("sassim__phase_launch.cycles");
    drain = get("sassim__phase_drain.cycles");
    running = std::max(elapsed - launch - drain, 1.0);
    grid = get("launch__grid_size");
    blocks = kernel.slice_blocks != 0 ? static_cast<double>(kernel.slice_blocks) : grid;
    waves = grid == 0 ? 0 : get("launch__waves_per_multiprocessor") * blocks / grid;
    constexpr std::string_view kPrefix = "sassim__warp_cycles_", kSuffix = ".sum";
    for (auto at = m.all().lower_bound(kPrefix); at != m.all().end() && at->first.starts_with(kPrefix); ++at) {
      const std::string name = at->first.substr(kPrefix.size(), at->first.size() - kPrefix.size() - kSuffix.size());
      stalls[name] = at->second.value;
      warp_cycles += at->second.value;
    }
    for (const LineStalls& line : kernel.lines) {
      sectors += static_cast<double>(line.memory.sectors);
      ideal_sectors += static_cast<double>(line.memory.ideal_sectors);
      passes += static_cast<double>(line.memory.passes);
      ideal_passes += static_cast<double>(line.memory.ideal_passes);
    }
  }
  double get(std::string_view name) const { return m.has(name) ? m[name] : 0; }
  /// A share of the elapsed cycles as a share of those in which blocks ran.
  double while_running(std::string_view name) const { return std::min(100.0, get(name) * elapsed / running); }
  /// Percent of the warps' cycles.
  double share(const std::vector<const char*>& reasons) const {
    double sum = 0;
    for (const char* reason : reasons)
      if (const auto at = stalls.find(reason); at != stalls.end()) sum += at->second;
    return warp_cycles == 0 ? 0 : 100 * sum / warp_cycles;
  }

  const stats::MetricSet& m;
  double elapsed = 0, launch = 0, drain = 0, running = 1, warp_cycles = 0;
  double grid = 0, blocks = 0;  ///< blocks: those that ran, fewer than the grid's in a slice of a launch
  double waves = 0;             ///< of the blocks that ran
  double sectors = 0, ideal_sectors = 0, passes = 0, ideal_passes = 0;
  std::map<std::string, double> stalls;
};

using Numbers = std::vector<std::pair<std::string, double>>;

struct Finding {
  Cause cause = Cause::unknown;
  std::string text;                   ///< how much, and of what
  std::vector<std::string> evidence;  ///< names of metrics
  Numbers derived{};                  ///< numbers of the text that are no metric
  std::string_view phrase{};          ///< instead of the cause's own
};

bool conflicts_cost(const Facts& f) { return f.passes > 1.5 * f.ideal_passes && f.passes > 0; }
bool scattered(const Facts& f) { return f.sectors > 2 * f.ideal_sectors && f.sectors > 0; }

std::string scatter_text(const Facts& f) {
  return fmt::format("accesses touch {:.1f} times the sectors that their data fill", f.sectors / f.ideal_sectors);
}

Finding small_grid(const Facts& f, double sms) {
  const double idle = sms - f.blocks;
  Finding found{Cause::small_grid, "", {"launch__grid_size", "launch__sm_count"}};
  if (f.blocks == f.grid) {
    found.text =
        fmt::format("{:.0f} {} for {:.0f} SMs {} {:.0f} {} without work", f.blocks, f.blocks == 1 ? "block" : "blocks",
                    sms, f.blocks == 1 ? "leaves" : "leave", idle, idle == 1 ? "SM" : "SMs");
    return found;
  }
  found.phrase = "a small slice of the grid";
  found.text = fmt::format("{:.0f} of its {:.0f} blocks ran, which leaves {:.0f} of {:.0f} SMs without work", f.blocks,
                           f.grid, idle, sms);
  found.derived = {{"blocks_of_slice", f.blocks}};
  return found;
}

/// Nothing inside an SM matters as long as SMs have no work. `saturated`: a part that all SMs share is busy.
Finding of_launch(const Facts& f, bool saturated) {
  if (100 * (f.launch + f.drain) > kMostly * f.elapsed && !saturated) {
    const bool writes = f.drain > f.launch && f.get("dram__bytes_write.sum") + f.get("lts__t_sectors_op_write.sum") > 0;
    return {writes ? Cause::write_drain : Cause::launch,
            fmt::format(
                "blocks run for {:.0f} % of the time; {:.0f} % goes before the first one and {:.0f} % after the last",
                100 * f.running / f.elapsed, 100 * f.launch / f.elapsed, 100 * f.drain / f.elapsed),
            {"sassim__phase_launch.cycles", "sassim__phase_drain.cycles", "gpc__cycles_elapsed.max"}};
  }
  if (saturated) return {};
  if (const double sms = f.get("launch__sm_count"); f.blocks < 0.7 * sms) return small_grid(f, sms);
  // Blocks that all have a place at once do not wait for each other, and more SMs do not help them.
  if (f.waves > 1 && f.get(kTailIdleMetric) >= kTailIdle)
    return {Cause::tail,
            fmt::format(
                "{:.2g} waves: while the last blocks run, places for other blocks are empty for {:.0f} % of the time",
                f.waves, f.get(kTailIdleMetric)),
            {kTailIdleMetric, "launch__waves_per_multiprocessor", "sassim__phase_tail.cycles"}};
  return {};
}

/// Parts that all SMs share.
Finding of_shared_parts(const Facts& f) {
  const char *dram = "dram__throughput.avg.pct_of_peak_sustained_elapsed",
             *l2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed", *hot = "sassim__lts_atomic_hottest.pct_of_peak";
  const double dram_busy = f.while_running(dram), l2_busy = f.while_running(l2), hot_busy = f.while_running(hot);
  const double most = std::max({dram_busy, l2_busy, hot_busy});
  if (most < kBusy) return {};
  const Numbers number = {{hot_busy == most    ? "hottest_l2_slice_busy_while_blocks_run.pct"
                           : dram_busy == most ? "dram_busy_while_blocks_run.pct"
                                               : "l2_busy_while_blocks_run.pct",
                           most}};
  if (hot_busy == most)
    return {Cause::atomics,
            fmt::format("one L2 slice executes atomics for {:.0f} % of the time that blocks run", hot_busy),
            {hot, "sassim__lts_atomic_operations.sum"},
            number};
  const bool wasted = scattered(f);
  if (wasted)
    return {Cause::uncoalesced,
            fmt::format("{}, and {} is {:.0f} % busy", scatter_text(f), dram_busy == most ? "DRAM" : "the L2", most),
            {dram, l2},
            number};
  if (dram_busy == most)
    return {Cause::dram,
            fmt::format("DRAM is {:.0f} % busy while blocks run", dram_busy),
            {dram, "dram__bytes.sum"},
            number};
  return {
      Cause::l2, fmt::format("the L2 is {:.0f} % busy while blocks run", l2_busy), {l2, "lts__t_sectors.sum"}, number};
}

/// What keeps a pipe busy.
struct PipeRow {
  std::string_view name;  ///< in metrics
  Cause cause;
  std::string_view phrase;
};
constexpr PipeRow kPipeRows[] = {
    {"fma", Cause::pipe, "the fma pipe"},
    {"alu", Cause::pipe, "the alu pipe"},
    {"fp16", Cause::pipe, "the fp16 pipe"},
    {"fp64", Cause::fp64, "the fp64 pipe"},
    {"xu", Cause::pipe, "the xu pipe"},
    {"tensor", Cause::tensor, "the tensor pipe"},
    {"uniform", Cause::uniform, "the uniform datapath"},
    {"cbu", Cause::control, "the branch unit (CBU)"},
    {"adu", Cause::control, "the address divergence unit (ADU: barriers, special registers)"}};

struct BusyPipe {
  const PipeRow* row;
  double share;  ///< percent of the elapsed cycles
  std::string metric() const {
    return fmt::format("sm__pipe_{}_cycles_active.avg.pct_of_peak_sustained_elapsed", row->name);
  }
};

BusyPipe busiest_pipe(const Facts& f) {
  BusyPipe busiest{nullptr, 0};
  for (const PipeRow& row : kPipeRows) {
    const BusyPipe pipe{&row, 0};
    const double busy = f.get(pipe.metric());
    if (busiest.row == nullptr || busy > busiest.share) busiest = {&row, busy};
  }
  return busiest;
}

/// The name, among the evidence, of a share of the time that SMs have warps.
std::string of_active(std::string_view part) { return fmt::format("{}_busy_while_sm_active.pct", part); }

/// Parts of an SM, of the time that it has warps.
Finding of_sm_parts(const Facts& f) {
  const double awake = f.get("sm__cycles_active.avg") / std::max(f.elapsed, 1.0);
  if (awake == 0) return {};
  const BusyPipe busiest = busiest_pipe(f);
  const PipeRow& row = *busiest.row;
  const double pipe = std::min(100.0, busiest.share / awake);
  const char* issue_metric = "smsp__issue_active.avg.pct_of_peak_sustained_active";
  const double issue = f.get(issue_metric);
  const double l1 = f.get("l1tex__throughput.avg.pct_of_peak_sustained_active");
  const double mio = std::min(100.0, f.get("sm__mio_inst_issued.avg.pct_of_peak_sustained_elapsed") / awake);
  const double threads = f.get("smsp__thread_inst_executed_per_inst_executed.ratio");
  const char* l1_metric = "l1tex__throughput.avg.pct_of_peak_sustained_active";
  const bool memory = std::max(l1, mio) >= std::max(pipe, issue);
  if (memory && std::max(l1, mio) >= kBusy) {
    const Numbers number = {{of_active("memory_pipeline"), std::max(l1, mio)}};
    const std::string busy = fmt::format("the SM's memory pipeline is {:.0f} % busy", std::max(l1, mio));
    if (conflicts_cost(f) && !scattered(f))
      return {Cause::bank_conflicts,
              fmt::format("bank conflicts multiply the passes of shared memory by {:.1f}, and {}",
                          f.passes / std::max(f.ideal_passes, 1.0), busy),
              {l1_metric, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
              number};
    if (scattered(f))
      return {Cause::uncoalesced, fmt::format("{}, and {}", scatter_text(f), busy), {l1_metric}, number};
    return {Cause::l1, busy, {l1_metric}, number};
  }
  if (std::max(pipe, issue) < kBusy || (pipe < kBusy && issue < kIssueBusy)) return {};
  const Numbers number = {{of_active(row.name), pipe}};
  if (threads <= kFewThreads)
    return {Cause::divergence,
            fmt::format("instructions run for {:.1f} of 32 threads on average, and {} is {:.0f} % busy", threads,
                        pipe >= issue ? row.phrase : "issue", std::max(pipe, issue)),
            {"smsp__thread_inst_executed_per_inst_executed.ratio", issue_metric, busiest.metric()},
            number};
  if (pipe >= kBusy && pipe >= issue)
    return {row.cause, fmt::format("{} is {:.0f} % busy", row.phrase, pipe), {busiest.metric()}, number};
  return {Cause::issue, fmt::format("{:.0f} % of the issue slots are used", issue), {issue_metric}};
}

std::string_view limiter(const Facts& f) {
  const std::vector<OccupancyLimit> limits = occupancy_limiters(f.m);
  return limits.empty() ? "resources of a block" : limits.front().resource;
}

/// The name, among the evidence, of the share of the warps' cycles in the sentence.
constexpr const char* kWaiting = "warp_cycles_waiting.pct";

/// Nothing is busy: warps wait, and there are too few of them.
Finding of_memory_waits(const Facts& f, double share) {
  const std::string waits = fmt::format("warps wait {:.0f} % of their time for global memory", share);
  const std::vector<std::string> evidence = {"sassim__warp_cycles_long_scoreboard.sum",
                                             "sm__warps_active.avg.pct_of_peak_sustained_active"};
  const Numbers number = {{kWaiting, share}};
  if (scattered(f) && f.sectors > 4 * f.ideal_sectors)
    return {Cause::uncoalesced, fmt::format("{}; {}", scatter_text(f), waits), evidence, number};
  const double possible = f.get("sm__maximum_warps_per_active_cycle_pct");
  const bool few_blocks = f.waves < 1;
  if (possible <= 50 && !few_blocks)
    return {Cause::occupancy,
            fmt::format("{} and no part is busy: {} limit an SM to {:.0f} % of its warps", waits, limiter(f), possible),
            {"sm__maximum_warps_per_active_cycle_pct", evidence[0]},
            number};
  return {Cause::latency, fmt::format("{} and no part is busy", waits), evidence, number};
}

struct WaitGroup {
  Cause cause;
  std::vector<const char*> reasons;
  std::string_view what;
};

const std::vector<WaitGroup>& wait_groups() {
  static const std::vector<WaitGroup> groups = {
      {Cause::latency, {"long_scoreboard", "lg_throttle", "tex_throttle", "drain"}, ""},
      {Cause::instruction_cache, {"no_instruction"}, "their next instruction"},
      {Cause::constants, {"imc_miss"}, "constants"},
      {Cause::barrier, {"barrier"}, "other warps of their block"},
      {Cause::bank_conflicts, {"mio_throttle", "short_scoreboard"}, "shared memory and other units of the SM"},
      {Cause::pipe, {"math_pipe_throttle"}, "a busy pipe"},
      {Cause::issue, {"not_selected", "selected", "dispatch_stall"}, "their turn to issue"},
      {Cause::dependences, {"wait", "branch_resolving"}, "results of their own arithmetic"},
      {Cause::fence, {"membar"}, "memory fences"},
      {Cause::sleep, {"sleeping"}, "the end of a sleep"},
  };
  return groups;
}

Finding of_waits(const Facts& f) {
  const auto& groups = wait_groups();
  const auto top = std::max_element(groups.begin(), groups.end(), [&](const WaitGroup& a, const WaitGroup& b) {
    return f.share(a.reasons) < f.share(b.reasons);
  });
  const double share = f.share(top->reasons);
  if (share == 0) return {};
  if (top->cause == Cause::latency) return of_memory_waits(f, share);
  Cause cause = top->cause;
  const double threads = f.get("smsp__thread_inst_executed_per_inst_executed.ratio");
  const BusyPipe busiest = busiest_pipe(f);
  const std::string waits = fmt::format("warps wait {:.0f} % of their time for {}", share, top->what);
  Finding found{cause, waits, {}, {{kWaiting, share}}};
  for (const char* reason : top->reasons)
    if (f.stalls.contains(reason)) found.evidence.push_back(fmt::format("sassim__warp_cycles_{}.sum", reason));
  const bool own_work = cause == Cause::pipe || cause == Cause::issue || cause == Cause::dependences;
  if (own_work && threads <= kFewThreads) {
    found.cause = Cause::divergence;
    found.text = fmt::format("instructions run for {:.1f} of 32 threads on average, and {}", threads, waits);
    found.evidence.insert(found.evidence.begin(), "smsp__thread_inst_executed_per_inst_executed.ratio");
    return found;
  }
  if (cause == Cause::bank_conflicts && !conflicts_cost(f))
    found.cause = busiest.row->name == "xu" && busiest.share > 20 ? Cause::pipe : Cause::dependences;
  if (found.cause == Cause::pipe) found.cause = busiest.row->cause;
  return found;
}

/// Blocks of one wave that end at different times.
bool uneven(const Facts& f, Cause cause) {
  const bool no_work = cause == Cause::launch || cause == Cause::small_grid || cause == Cause::write_drain;
  return !no_work && f.waves > 0 && f.waves <= 1 && f.get(kTailIdleMetric) >= kTailIdle;
}

/// The name in sm.pipes.ops of the pipe that bounds the kernel; empty if no pipe does.
std::string_view pipe_behind(const Facts& f, Cause cause) {
  const bool is_pipe =
      std::any_of(std::begin(kPipeRows), std::end(kPipeRows), [&](const PipeRow& row) { return row.cause == cause; });
  if (!is_pipe) return {};
  const std::string_view name = busiest_pipe(f).row->name;
  return name == "cbu" ? "branch" : name;
}

}  // namespace

std::string_view bound_name(const KernelReport& kernel) {
  return kernel.fault ? "(faulted)" : kernel.beside ? "(side by side)" : cause_row(find_bound(kernel).cause).name;
}

Bound find_bound(const KernelReport& kernel) {
  Bound bound;
  if (kernel.fault || kernel.beside || !kernel.metrics.has("gpc__cycles_elapsed.max")) return bound;
  const Facts facts(kernel);
  const Finding shared = of_shared_parts(facts);
  Finding found = of_launch(facts, shared.cause != Cause::unknown);
  if (found.cause == Cause::unknown) found = shared;
  if (found.cause == Cause::unknown) found = of_sm_parts(facts);
  if (found.cause == Cause::unknown) found = of_waits(facts);
  bound.cause = found.cause;
  bound.evidence = found.derived;
  for (const std::string& name : found.evidence) bound.evidence.emplace_back(name, facts.get(name));
  if (found.cause == Cause::unknown) return bound;
  bound.sentence =
      fmt::format("Bound by {}: {}.", found.phrase.empty() ? cause_row(found.cause).phrase : found.phrase, found.text);
  bound.where = find_where(kernel, found.cause, pipe_behind(facts, found.cause));
  if (!bound.where.sentence.empty()) bound.sentence += " " + bound.where.sentence + ".";
  if (uneven(facts, found.cause)) {
    bound.sentence += fmt::format(
        " All blocks start at once and the longest decide: places of blocks that have ended are empty for {:.0f} % of "
        "the time.",
        facts.get(kTailIdleMetric));
    bound.evidence.emplace_back(kTailIdleMetric, facts.get(kTailIdleMetric));
  }
  return bound;
}

nlohmann::ordered_json to_json(const Bound& bound) {
  nlohmann::ordered_json evidence = nlohmann::ordered_json::object();
  for (const auto& [name, value] : bound.evidence) evidence[name] = value;
  nlohmann::ordered_json json = {{"cause", cause_row(bound.cause).name},
                                 {"sentence", bound.sentence},
                                 {"evidence", std::move(evidence)},
                                 {"what_if", cause_row(bound.cause).what_if}};
  if (bound.where.line)
    json["where"] = {{"pc", *bound.where.line},
                     {"reason", bound.where.reason},
                     {"waits_for", bound.where.waits_for},
                     {"warp_cycles_pct", bound.where.share}};
  return json;
}

}  // namespace sassim::report
