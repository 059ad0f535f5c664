// SPDX-License-Identifier: Apache-2.0
#include "sim/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "sim/base/printable.h"

namespace sassim::report {

namespace {

// Which metrics make the overview, and in whose words. What is not here is in --json, --csv and --metrics.
struct Entry {
  std::string_view label, metric;
};
struct SectionSpec {
  std::string_view title;
  std::vector<Entry> entries;
};

const std::vector<SectionSpec>& sections() {
  static const std::vector<SectionSpec> all = {
      {"Time",
       {{"cycles", "gpc__cycles_elapsed.max"},
        {"duration", "gpu__time_duration.sum"},
        {"SM active cycles", "sm__cycles_active.avg"},
        {"launch overhead (not counted)", "sassim__launch_overhead_cycles"}}},
      {"Instructions",
       {{"warp instructions", "smsp__inst_executed.sum"},
        {"per cycle and active SM", "sm__inst_executed.avg.per_cycle_active"},
        {"issue slots used", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
        {"threads per instruction", "smsp__thread_inst_executed_per_inst_executed.ratio"}}},
      {"Occupancy",
       {{"blocks per SM", "launch__occupancy_per_sm"},
        {"possible", "sm__maximum_warps_per_active_cycle_pct"},
        {"achieved", "sm__warps_active.avg.pct_of_peak_sustained_active"}}},
      {"Memory",
       {{"L1 hit rate", "l1tex__t_sector_hit_rate.pct"},
        {"L2 hit rate", "lts__t_sector_hit_rate.pct"},
        {"L1 sectors", "l1tex__t_sectors.sum"},
        {"L2 sectors", "lts__t_sectors.sum"},
        {"shared bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
        {"DRAM read", "dram__bytes_read.sum"},
        {"DRAM written", "dram__bytes_write.sum"}}},
  };
  return all;
}

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (digits[0] == '-' ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), " ");
  return digits;
}

std::string amount(const stats::Metric& metric, bool group) {
  const bool whole = metric.value == std::floor(metric.value) && std::abs(metric.value) < 1e15;
  const std::string number = !whole && std::abs(metric.value) < 1e5 ? fmt::format("{:.2f}", metric.value)
                             : group                                ? grouped(metric.value)
                                                                    : fmt::format("{:.0f}", metric.value);
  return metric.unit == "ratio" ? number : fmt::format("{} {}", number, metric.unit);
}

std::string section_text(const SectionSpec& section, const stats::MetricSet& metrics, bool group) {
  std::string text;
  for (const Entry& entry : section.entries)
    if (metrics.has(entry.metric))
      text += fmt::format("    {:<32}{:>24}\n", entry.label, amount(metrics.all().find(entry.metric)->second, group));
  return text.empty() ? text : fmt::format("  {}\n{}", section.title, text);
}

// Where warps spent their time, as shares of all warp cycles.
std::string stall_text(const stats::MetricSet& metrics) {
  constexpr std::string_view kPrefix = "sassim__warp_cycles_", kSuffix = ".sum";
  std::vector<std::pair<double, std::string>> reasons;
  double total = 0;
  for (auto at = metrics.all().lower_bound(kPrefix); at != metrics.all().end() && at->first.starts_with(kPrefix);
       ++at) {
    if (at->second.value == 0) continue;
    total += at->second.value;
    reasons.emplace_back(at->second.value,
                         at->first.substr(kPrefix.size(), at->first.size() - kPrefix.size() - kSuffix.size()));
  }
  if (reasons.empty()) return {};
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text = "  Warp cycles by reason\n";
  for (const auto& [cycles, name] : reasons)
    text += fmt::format("    {:<24}{:>7.1f} %  {}\n", name, 100 * cycles / total,
                        std::string(static_cast<std::size_t>(std::lround(40 * cycles / total)), '#'));
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
  std::string text = "  Lines with the most warp cycles\n";
  for (const LineStalls* line : hottest) {
    const auto top = std::max_element(line->stalls.begin(), line->stalls.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
    text += fmt::format("    {:>5.1f} %  {:04x}  {:<52} {}\n",
                        100.0 * static_cast<double>(total_cycles(*line)) / static_cast<double>(all), line->pc,
                        printable(line->text), top == line->stalls.end() ? "" : top->first);
  }
  return text;
}

std::string all_text(const stats::MetricSet& metrics, bool group) {
  std::string text = "  All metrics\n";
  for (const auto& [name, metric] : metrics.all())
    text += fmt::format("    {:<76}{:>20}\n", name, amount(metric, group));
  return text;
}

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\n") == std::string::npos) return field;
  std::string out = "\"";
  for (char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string kernel_text(const KernelReport& kernel, const std::string& gpu, const TerminalOptions& options) {
  std::string text = fmt::format("{}  grid {}x{}x{}  block {}x{}x{}  on {}\n", printable(kernel.name),
                                 kernel.grid.x, kernel.grid.y, kernel.grid.z, kernel.block.x, kernel.block.y, kernel.block.z, gpu);
  for (const std::string& note : kernel.notes) text += fmt::format("  note: {}\n", printable(note));
  if (kernel.fault) text += fmt::format("  fault: {}\n", printable(kernel.fault->message));
  for (const SectionSpec& section : sections()) text += section_text(section, kernel.metrics, options.group_digits);
  text += stall_text(kernel.metrics);
  text += lines_text(kernel, options.hot_lines);
  if (options.all_metrics) text += all_text(kernel.metrics, options.group_digits);
  return text + "\n";
}

std::string csv_head() { return "kernel,name,metric,unit,value\n"; }

std::string csv_rows(std::size_t index, const KernelReport& kernel) {
  std::string text;
  for (const auto& [name, metric] : kernel.metrics.all())
    text += fmt::format("{},{},{},{},{}\n", index, quoted(printable(kernel.name)), name, metric.unit, metric.value);
  return text;
}

}  // namespace sassim::report
