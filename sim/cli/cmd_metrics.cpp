// SPDX-License-Identifier: Apache-2.0
// sassim metrics: lists the metrics of results
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/base/error.h"
#include "sim/cli/command_line.h"
#include "sim/cli/config_options.h"
#include "sim/config/find.h"
#include "sim/pattern/pattern.h"
#include "sim/stats/nsight_names.h"

namespace sassim::cli {

namespace {

using Json = nlohmann::ordered_json;

struct MetricsArguments {
  ConfigOptions gpu;
  std::string pattern;
  bool json = false;
};

/// The rows of the list that the pattern takes.
struct Listed {
  std::vector<const stats::CounterRow*> metrics;
  std::vector<stats::MissingMetric> missing;
  std::set<stats::Rollup> rollups;
  std::vector<const stats::CounterRow*> breakdowns;  ///< those with parts
};

/// As Nsight Compute calls the list of a throughput's parts.
std::string breakdown_name(const std::string& metric) { return "breakdown:" + metric; }

Listed listed(const stats::MetricSet& all, const Pattern& wanted) {
  Listed list;
  for (const auto& [row, value] : all.all()) {
    if (!row->parts.empty() && (wanted.matches_in(row->name) || wanted.matches_in(breakdown_name(row->name))))
      list.breakdowns.push_back(row);
    if (!wanted.matches_in(row->name)) continue;
    list.metrics.push_back(row);
    list.rollups.insert(row->rollup);
  }
  for (const stats::MissingMetric& metric : stats::missing_metrics())
    if (wanted.matches_in(metric.name)) list.missing.push_back(metric);
  return list;
}

std::string as_text(const Listed& list) {
  std::string text;
  if (!list.metrics.empty())
    text = fmt::format("{:<76}{:<11}{:<10}{:<35}{}\n", "metric", "unit", "kind", "rollup", "meaning");
  for (const stats::CounterRow* row : list.metrics)
    text += fmt::format("{:<76}{:<11}{:<10}{:<35}{}\n", row->name, row->unit, stats::kind_name(row->kind),
                        stats::rollup_row(row->rollup).name, row->meaning);
  if (!list.rollups.empty()) text += "\nRollups\n";
  for (const stats::Rollup rollup : list.rollups)
    text += fmt::format("{:<35}{}\n", stats::rollup_row(rollup).name, stats::rollup_row(rollup).meaning);
  if (!list.breakdowns.empty()) text += "\nBreakdowns: the metric is the largest of these\n";
  for (const stats::CounterRow* row : list.breakdowns)
    text += fmt::format("{}\n    {}\n", breakdown_name(row->name), fmt::join(row->parts, "\n    "));
  if (!list.missing.empty()) text += "\nMetrics of Nsight Compute that sassim does not have\n";
  for (const stats::MissingMetric& metric : list.missing) text += fmt::format("{:<76}{}\n", metric.name, metric.why);
  return text.substr(text.starts_with('\n') ? 1 : 0);
}

std::string as_json(const Listed& list) {
  Json metrics = Json::array(), rollups = Json::object(), missing = Json::object(), breakdowns = Json::object();
  for (const stats::CounterRow* row : list.metrics)
    metrics.push_back({{"name", row->name},
                       {"unit", row->unit},
                       {"kind", stats::kind_name(row->kind)},
                       {"rollup", stats::rollup_row(row->rollup).name},
                       {"meaning", row->meaning}});
  for (const stats::Rollup rollup : list.rollups)
    rollups[std::string(stats::rollup_row(rollup).name)] = stats::rollup_row(rollup).meaning;
  for (const stats::CounterRow* row : list.breakdowns) breakdowns[breakdown_name(row->name)] = row->parts;
  for (const stats::MissingMetric& metric : list.missing) missing[std::string(metric.name)] = metric.why;
  return Json{{"schema", "sassim-metrics/1"},
              {"metrics", std::move(metrics)},
              {"rollups", std::move(rollups)},
              {"breakdowns", std::move(breakdowns)},
              {"missing", std::move(missing)}}
             .dump(2) +
         "\n";
}

ExitStatus list_metrics(MetricsArguments& parsed) {
  const Pattern wanted("PATTERN", parsed.pattern);
  if (parsed.gpu.config.empty()) parsed.gpu.config = config::some_configs().front().name;
  const Listed list = listed(arch::Gpu(parsed.gpu.load()).metrics(), wanted);
  if (list.metrics.empty() && list.missing.empty() && list.breakdowns.empty())
    throw UsageError("no metric has '{}' in its name; 'sassim metrics' lists all", parsed.pattern);
  fmt::print("{}", parsed.json ? as_json(list) : as_text(list));
  return ExitStatus::done;
}

void add_metrics(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<MetricsArguments>();
  CLI::App* command = program.add_subcommand("metrics", "list the metrics of a result: name, unit, rollup, meaning");
  command
      ->add_option("pattern", parsed->pattern,
                   "a regular expression that matches a part of the name (docs/patterns.md)")
      ->type_name("PATTERN");
  command->add_option("--config", parsed->gpu.config, "the GPU; its parts decide which metrics exist")
      ->type_name("NAME|FILE");
  command->add_flag("--json", parsed->json, "as JSON");
  command->callback([&action, parsed] { action = [parsed] { return list_metrics(*parsed); }; });
}

const Command metrics_command(55, add_metrics);

}  // namespace

}  // namespace sassim::cli
