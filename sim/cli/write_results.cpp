// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/write_results.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "sim/base/durable_file.h"
#include "sim/cli/standard_streams.h"
#include "sim/report/terminal.h"

namespace sassim::cli {

void ResultOptions::add_to(CLI::App& command) {
  command.add_option("--json", json, "write everything: configuration, metrics, stalls per line")->type_name("FILE");
  command.add_option("--csv", csv, "write the metrics, one per line")->type_name("FILE");
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
  // A reader of standard output that leaves must not take the files with it.
  if (json_ || csv_) std::signal(SIGPIPE, SIG_IGN);
}

template <class Stream, class Work>
void ResultOutput::write(std::optional<Stream>& stream, Work work) {
  if (!stream) return;
  try {
    work(*stream);
  } catch (const Error& error) {
    stream.reset();
    lose(error);
  }
}

void ResultOutput::lose(const Error& error) {
  if (lost_) return;
  lost_ = error;
  say(fmt::format("sassim: {}; the rest goes on\n", error.what()).c_str());
}

void ResultOutput::print(const std::string& text) {
  if (!printing_) return;
  try {
    fmt::print("{}", text);
  } catch (const std::system_error&) {
    if (!output_failed() || (!json_ && !csv_)) throw;  // who wants files still gets them; main() says what was lost
    printing_ = false;
  }
}

void ResultOutput::add(const report::KernelReport& kernel) {
  ++kernels_;
  print(report::kernel_text(kernel, gpu_, {options_.lines, options_.metrics, isatty(STDOUT_FILENO) == 1}));
  write(json_, [&](auto& file) { file.add(kernel); });
  write(csv_, [&](auto& file) { file.add(kernel); });
}

void ResultOutput::finish(bool complete, const report::HostReport& host, const nlohmann::ordered_json& more) {
  write(json_, [&](auto& file) { file.finish(complete, more); });
  write(csv_, [](auto& file) { file.finish(); });
  try {
    if (!options_.host_json.empty()) write_durably(options_.host_json, to_json(host).dump(1) + "\n");
  } catch (const Error& error) {
    lose(error);
  }
  if (lost_) throw Error(lost_->status(), fmt::format("not every result could be written: {}", lost_->what()));
}

}  // namespace sassim::cli
