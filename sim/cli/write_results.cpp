// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/write_results.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "arch/sm/stall_reason.h"
#include "sim/base/durable_file.h"
#include "sim/report/terminal.h"

namespace sassim::cli {

namespace {

std::vector<std::pair<std::string, std::string>> stall_meanings() {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t r = 0; r < arch::kStallReasons; ++r) {
    const arch::StallRow& row = arch::stall_row(static_cast<arch::StallReason>(r));
    all.emplace_back(row.name, row.meaning);
  }
  return all;
}

}  // namespace

void ResultOptions::add_to(CLI::App& command) {
  command.add_option("--json", json, "write everything: configuration, metrics, stalls per line")->type_name("FILE");
  command.add_option("--csv", csv, "write the metrics, one per line")->type_name("FILE");
  command
      .add_option("--host-json", host_json,
                  "write what differs from run to run: seconds, threads, warp instructions per second, memory")
      ->type_name("FILE");
  command.add_option("--html", html, "write a page with charts, for any browser; the counters over time are in --json, too")
      ->type_name("FILE");
  command.add_flag("--metrics", metrics, "print every metric, not only the overview");
  command.add_option("--lines", lines, "how many SASS lines to show")->type_name("N")->capture_default_str();
}

ResultOutput::ResultOutput(const ResultOptions& options, const report::RunReport& run)
    : options_(options), gpu_(run.config_name) {
  if (!options.json.empty()) json_.emplace(options.json, run);
  if (!options.csv.empty()) csv_.emplace(options.csv);
  if (!options.html.empty()) page_.emplace(run, stall_meanings());
}

void ResultOutput::add(const report::KernelReport& kernel) {
  ++kernels_;
  if (json_) json_->add(kernel);
  if (csv_) csv_->add(kernel);
  if (page_) page_->add(kernel);
  fmt::print("{}",
             report::kernel_text(kernel, gpu_, {options_.lines, options_.metrics, isatty(STDOUT_FILENO) == 1}));
}

void ResultOutput::finish(bool complete, const report::HostReport& host, const nlohmann::ordered_json& more) {
  if (json_) json_->finish(complete, more);
  if (csv_) csv_->finish();
  if (page_) write_durably(options_.html, page_->finish(complete));
  if (!options_.host_json.empty()) write_durably(options_.host_json, to_json(host).dump(1) + "\n");
}

}  // namespace sassim::cli
