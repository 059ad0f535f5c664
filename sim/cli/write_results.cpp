// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/write_results.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/durable_file.h"
#include "sim/report/terminal.h"

namespace sassim::cli {

void ResultOptions::add_to(CLI::App& command) {
  command.add_option("--json", json, "write everything: configuration, metrics, stalls per line")->type_name("FILE");
  command.add_option("--csv", csv, "write the metrics, one per line")->type_name("FILE");
  command.add_flag("--metrics", metrics, "print every metric, not only the overview");
  command.add_option("--lines", lines, "how many SASS lines to show")->type_name("N")->capture_default_str();
}

void write_results(const report::RunReport& report, const ResultOptions& options) {
  if (!options.json.empty()) write_durably(options.json, to_json(report).dump(1) + "\n");
  if (!options.csv.empty()) write_durably(options.csv, report::csv_text(report));
  fmt::print("{}", report::terminal_text(report, {options.lines, options.metrics}));
}

}  // namespace sassim::cli
