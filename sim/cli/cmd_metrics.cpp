// SPDX-License-Identifier: Apache-2.0
// sassim metrics: lists the metrics of results
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <string>

#include "arch/gpu.h"
#include "sim/base/error.h"
#include "sim/cli/command_line.h"
#include "sim/cli/config_options.h"
#include "sim/cli/name_filter.h"
#include "sim/config/find.h"
#include "sim/stats/nsight_names.h"

namespace sassim::cli {

namespace {

struct MetricsArguments {
  ConfigOptions gpu;
  std::string pattern;
};

ExitStatus list_metrics(MetricsArguments& parsed) {
  const NameFilter wanted(parsed.pattern, "PATTERN");
  if (parsed.gpu.config.empty()) parsed.gpu.config = config::list_configs().at(0).name;
  const stats::MetricSet metrics = arch::Gpu(parsed.gpu.load()).metrics();
  std::string listed, missing;
  for (const auto& [name, metric] : metrics.all())
    if (wanted.takes(name)) listed += fmt::format("{:<76}{:<11}{}\n", name, metric.unit, metric.meaning);
  for (const stats::MissingMetric& metric : stats::missing_metrics())
    if (wanted.takes(metric.name)) missing += fmt::format("{:<76}{}\n", metric.name, metric.why);
  if (listed.empty() && missing.empty())
    throw UsageError("no metric has '{}' in its name; 'sassim metrics' lists all", parsed.pattern);
  if (!missing.empty()) missing = "\nMetrics of Nsight Compute that sassim does not have\n" + missing;
  fmt::print("{}{}", listed, missing);
  return ExitStatus::done;
}

void add_metrics(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<MetricsArguments>();
  CLI::App* command = program.add_subcommand("metrics", "list the metrics of a result: name, unit, meaning");
  command->add_option("pattern", parsed->pattern, "a regular expression that matches a part of the name")
      ->type_name("PATTERN");
  command->add_option("--config", parsed->gpu.config, "the GPU; its parts decide which metrics exist")
      ->type_name("NAME|FILE");
  command->callback([&action, parsed] { action = [parsed] { return list_metrics(*parsed); }; });
}

const Command metrics_command(55, add_metrics);

}  // namespace

}  // namespace sassim::cli
