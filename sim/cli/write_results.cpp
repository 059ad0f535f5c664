// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/write_results.h"

#include <fmt/format.h>
#include <unistd.h>

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
  command
      .add_option("--csv-ncu", csv_ncu,
                  "write the metrics of Nsight Compute as ncu --csv --page raw does: a row for each launch")
      ->type_name("FILE");
  command
      .add_option("--host-json", host_json,
                  "write what differs from run to run: seconds, threads, warp instructions per second, memory")
      ->type_name("FILE");
  command.add_flag("--metrics", metrics, "print every metric, not only the overview");
  command.add_option("--lines", lines, "how many SASS lines to show")->type_name("N")->capture_default_str();
}

ResultOutput::ResultOutput(const ResultOptions& options, const report::RunReport& run)
    : options_(options), gpu_(run.config_name) {
  if (!options.json.empty()) json_.emplace(options.json, run);
  if (!options.csv.empty()) csv_.emplace(options.csv);
  if (!options.csv_ncu.empty()) ncu_.emplace(options.csv_ncu, run.config_name, run.arch);
}

void ResultOutput::add(const report::KernelReport& kernel) {
  ++kernels_;
  if (json_) json_->add(kernel);
  if (csv_) csv_->add(kernel);
  if (ncu_) ncu_->add(kernel);
  fmt::print("{}",
             report::kernel_text(kernel, gpu_, {options_.lines, options_.metrics, isatty(STDOUT_FILENO) == 1}));
}

void ResultOutput::finish(bool complete, const report::HostReport& host, const nlohmann::ordered_json& more) {
  if (json_) json_->finish(complete, more);
  if (csv_) csv_->finish();
  if (ncu_) ncu_->finish();
  if (!options_.host_json.empty()) write_durably(options_.host_json, to_json(host).dump(1) + "\n");
}

}  // namespace sassim::cli
