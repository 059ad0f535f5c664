// SPDX-License-Identifier: Apache-2.0
// Prints the report of one kernel, for `sassim run` and `exec`.
#include "sim/report/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "sim/base/csv.h"
#include "sim/base/demangle.h"
#include "sim/base/printable.h"
#include "sim/report/bound.h"
#include "sim/report/number_text.h"
#include "sim/report/sections.h"
#include "sim/report/waits.h"

namespace sassim::report {

namespace {

/// The busiest parts of a throughput; in the list of all metrics every one has its row.
std::string parts_text(const stats::MetricSet& metrics, std::string_view throughput, bool for_people) {
  constexpr std::size_t kShown = 3;
  std::string text;
  std::vector<Part> parts = parts_of(metrics, throughput);
  parts.resize(std::min(parts.size(), kShown));
  for (const Part& part : parts)
    if (part.value > 0)
      text += fmt::format("      {:<30}{:>26}\n", part.label, number_text(part.value, "%", for_people));
  return text;
}

/// What stands below the row of a metric.
std::string below(std::string_view metric, const stats::MetricSet& metrics, const TerminalOptions& options) {
  if (metric == "gpc__cycles_elapsed.max" && options.expected_error)
    return fmt::format("    {:<32}{:>26}\n", "expected error of the cycles",
                       number_text(*options.expected_error, "%", options.for_people));
  if (metric == "sassim__phase_launch.cycles" && metrics.has("sassim__launch_overhead_cycles"))
    return fmt::format(
        "      (from the launch's arrival at the GPU; the {} that the host takes to submit it are before and not "
        "counted)\n",
        number_text(metrics["sassim__launch_overhead_cycles"], "cycle", options.for_people));
  if (metric == "launch__occupancy_limit_blocks") {
    std::vector<std::string_view> names;
    for (const OccupancyLimit& limit : occupancy_limiters(metrics)) names.push_back(limit.resource);
    const std::string text = fmt::format("{}", fmt::join(names, ", "));
    return names.empty() ? "" : fmt::format("    {:<16}{:>42}\n", "limited by", text);
  }
  return parts_text(metrics, metric, options.for_people);
}

std::string section_text(const Section& section, const stats::MetricSet& metrics, const TerminalOptions& options) {
  std::string text;
  for (const SectionEntry& entry : section.entries)
    if (const stats::Metric* metric = metrics.find(entry.metric)) {
      text += fmt::format("    {:<32}{:>26}\n", entry.label,
                          number_text(metric->value, metric->row->unit, options.for_people));
      text += below(entry.metric, metrics, options);
    }
  return text.empty() ? text : fmt::format("  {}\n{}", section.title, text);
}

std::string cell(double value, int decimals) {
  return value < 0 ? "-" : decimals == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string mix_text(const stats::MetricSet& metrics) {
  const std::vector<PipeUse> pipes = instruction_mix(metrics);
  if (pipes.empty()) return {};
  std::string text = fmt::format("  Instruction Mix{:>22}{:>18}\n", "instructions", "% of pipe's peak");
  for (const PipeUse& pipe : pipes)
    text += fmt::format("    {:<20}{:>13.0f}{:>18}\n", pipe.name, pipe.instructions, cell(pipe.of_peak, 2));
  return text;
}

std::string shared_text(const stats::MetricSet& metrics) {
  const std::vector<SharedRow> rows = shared_rows(metrics);
  if (rows.empty()) return {};
  std::string text = fmt::format("    {:<20}{:>13}{:>13}{:>13}{:>10}{:>16}\n", "Shared memory", "requests", "passes",
                                 "per request", "n-way", "conflicts");
  for (const SharedRow& row : rows)
    text += fmt::format("    {:<20}{:>13.0f}{:>13.0f}{:>13.2f}{:>10.2f}{:>16.0f}\n", row.access, row.instructions,
                        row.passes, row.passes / row.instructions, row.ways, row.conflicts);
  return text + fmt::format("    ({})\n", kWaysMeaning);
}

std::string memory_text(const stats::MetricSet& metrics, bool for_people) {
  const std::vector<MemoryRow> rows = memory_rows(metrics);
  const std::string shared = shared_text(metrics);
  if (rows.empty() && shared.empty()) return {};
  std::string text = fmt::format("  {:<22}{:>13}{:>13}{:>13}{:>10}{:>16}{:>11}\n", "Memory Workload", "requests",
                                 "sectors", "per request", "hit %", for_people ? "data" : "bytes", "% of peak");
  for (const MemoryRow& row : rows)
    text += fmt::format("    {:<20}{:>13}{:>13}{:>13}{:>10}{:>16}{:>11}\n", row.level + " " + row.access,
                        cell(row.requests, 0), cell(row.sectors, 0),
                        cell(row.requests > 0 && row.sectors > 0 ? row.sectors / row.requests : -1, 2),
                        cell(row.hit_rate, 2), for_people ? number_text(row.bytes, "byte", true) : cell(row.bytes, 0),
                        cell(row.peak, 2));
  return text + shared;
}

// Where warps spent their time: cycles per issued instruction, and shares of all warp cycles.
std::string state_text(const stats::MetricSet& metrics) {
  const std::vector<Share> states = warp_states(metrics);
  double total = 0;
  for (const Share& state : states) total += state.cycles;
  if (total == 0) return {};
  std::string text = "  Warp State: cycles per issued instruction, by reason\n";
  for (const Share& state : states)
    text += fmt::format("    {:<22}{:>10.2f}{:>8.1f} %  {}\n", state.name, state.per_issue, 100 * state.cycles / total,
                        std::string(static_cast<std::size_t>(std::lround(40 * state.cycles / total)), '#'));
  return text;
}

std::uint64_t total_cycles(const LineStalls& line) {
  std::uint64_t total = 0;
  for (const auto& [reason, cycles] : line.stalls) total += cycles;
  return total;
}

std::string lines_text(const KernelReport& kernel, std::size_t count) {
  std::vector<const LineStalls*> hottest;
  std::uint64_t all = 0;
  for (const LineStalls& line : kernel.lines) {
    hottest.push_back(&line);
    all += total_cycles(line);
  }
  if (!all || !count) return {};
  std::stable_sort(hottest.begin(), hottest.end(),
                   [](const auto* a, const auto* b) { return total_cycles(*a) > total_cycles(*b); });
  hottest.resize(std::min(hottest.size(), count));
  const Waits waits(kernel);
  std::string text = "  Source: lines with the most warp cycles\n";
  for (const LineStalls* line : hottest) {
    const auto top = std::max_element(line->stalls.begin(), line->stalls.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
    std::string why = top == line->stalls.end() ? "" : top->first;
    if (const std::string for_what = waits.text(*line, why); !for_what.empty()) why += ", for " + for_what;
    text += fmt::format("    {:>5.1f} %  {:04x}  {:<52} {}\n",
                        100.0 * static_cast<double>(total_cycles(*line)) / static_cast<double>(all), line->pc,
                        printable(line->text), why);
  }
  return text;
}

std::string all_text(const stats::MetricSet& metrics, bool for_people) {
  std::string text = "  All metrics\n";
  for (const auto& [row, value] : metrics.all())
    text += fmt::format("    {:<76}{:>24}\n", row->name, number_text(value, row->unit, for_people));
  return text;
}

}  // namespace

std::string kernel_head(const KernelReport& kernel, const std::string& gpu, const TerminalOptions& options) {
  std::string text = fmt::format("{}  grid {}x{}x{}  block {}x{}x{}  on {}\n",
                                 printable(options.mangled ? kernel.name : demangled(kernel.name)), kernel.grid.x,
                                 kernel.grid.y, kernel.grid.z, kernel.block.x, kernel.block.y, kernel.block.z, gpu);
  for (const std::string& note : kernel.notes) text += fmt::format("  note: {}\n", printable(note));
  if (kernel.fault) text += fmt::format("  fault: {}\n", printable(kernel.fault->message));
  return text;
}

std::string conditions_text(const TerminalOptions& options, std::string_view its) {
  static constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {
      {"cold", "empty, as a profiler leaves them"},
      {"warm", "all that the previous kernel left"},
      {"keep", "what the previous kernel left, without what a launch invalidates"},
      {"replay", "what another run of the same kernel left"}};
  std::string text;
  for (const auto& [name, meaning] : kMeanings)
    if (name == options.caches) text = fmt::format("Caches at {} start: {} ({}).", its, name, meaning);
  if (!options.trust.empty()) text += (text.empty() ? "" : " ") + options.trust;
  return text;
}

std::string kernel_text(const KernelReport& kernel, const std::string& gpu, const TerminalOptions& options) {
  std::string text = kernel_head(kernel, gpu, options);
  if (const Bound bound = find_bound(kernel); !bound.sentence.empty()) text += fmt::format("  {}\n", bound.sentence);
  if (const std::string conditions = conditions_text(options, "its"); !conditions.empty())
    text += fmt::format("  {}\n", conditions);
  for (const Section& section : sections()) text += section_text(section, kernel.metrics, options);
  text += mix_text(kernel.metrics);
  text += memory_text(kernel.metrics, options.for_people);
  text += state_text(kernel.metrics);
  text += lines_text(kernel, options.hot_lines);
  if (options.all_metrics) text += all_text(kernel.metrics, options.for_people);
  return text + "\n";
}

std::string partial_text(std::size_t done, const std::optional<RunningKernel>& running, bool mangled) {
  const std::string text = fmt::format("partial: the run was stopped after {}", count_text(done, "launch"));
  if (!running) return text;
  const std::string name = printable(mangled ? running->name : demangled(running->name));
  if (running->recording)
    return text + fmt::format(", while {} was recorded, before it was timed: {}", name,
                              count_text(running->warp_instructions, "warp instruction"));
  if (running->blocks == 0) return text + fmt::format(", while {} ran", name);
  return text + fmt::format(", while {} ran: {}, {} of {} had ended", name, count_text(running->cycles, "cycle"),
                            running->blocks_ended, count_text(running->blocks, "thread block"));
}

std::string csv_head() { return "kernel,name,metric,unit,value\n"; }

std::string csv_rows(std::size_t index, const KernelReport& kernel) {
  std::string text;
  for (const auto& [row, value] : kernel.metrics.all())
    text += fmt::format("{},{},{},{},{}\n", index, csv_cell(printable(kernel.name)), row->name, row->unit, value);
  if (kernel.slice_blocks != 0)
    text += fmt::format("{},{},sassim__slice_blocks,block,{}\n", index, csv_cell(printable(kernel.name)),
                        kernel.slice_blocks);
  return text;
}

}  // namespace sassim::report
