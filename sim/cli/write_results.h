// SPDX-License-Identifier: Apache-2.0
// The options --json, --csv, --html and others of `sassim run` and `exec`, and the result files and the report for
// people that they ask for.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/output_target.h"
#include "sim/config/loader.h"
#include "sim/page/page.h"
#include "sim/pattern/launch_choice.h"
#include "sim/report/launch_list.h"
#include "sim/report/ncu_stream.h"
#include "sim/report/result.h"
#include "sim/report/result_stream.h"
#include "sim/report/source_page.h"

namespace CLI {
class App;
}

namespace sassim::cli {

/// Adds the commit from which this command was built.
report::RunReport labelled(report::RunReport run);

struct ResultOptions {
  std::string json, csv, csv_ncu, csv_source, host_json, html;
  bool compact_json = false;
  bool metrics = false, mangled = false;
  std::size_t lines = 8;
  std::string report = "stdout";  ///< where the report for people goes: stdout, stderr, none or a file
  std::string page = "auto";      ///< details, source or launches; auto: launches if there are several, else details
  LaunchWish launches;            ///< which launches are reported
  bool chosen_before = false;     ///< the caller adds only these launches

  void add_to(CLI::App& command);
  /// Largest number of intervals for counters over time; 0: none.
  std::size_t series() const { return html.empty() ? 0 : 512; }
  /// The file of the report; empty: it has none.
  std::string report_file() const { return report == "stdout" || report == "stderr" || report == "none" ? "" : report; }
  /// For check_outputs().
  std::vector<NamedFile> files() const {
    return {{"--json", json},           {"--csv", csv},   {"--csv-ncu", csv_ncu},     {"--csv-source", csv_source},
            {"--host-json", host_json}, {"--html", html}, {"--report", report_file()}};
  }
};

/// Writes the requested files, and the report where --report says, kernel by kernel. Files get their names in finish();
/// without it there are no files. If a file cannot be written, an error is printed at once and the others continue;
/// finish() then throws at its end.
class ResultOutput {
 public:
  /// `run`: describes the GPU; its kernels are not used. `loaded`: where its values come from.
  ResultOutput(const ResultOptions& options, const report::RunReport& run, const config::LoadedConfig& loaded);

  void add(const report::KernelReport& kernel);
  /// The number of kernels that were added, chosen or not.
  std::size_t kernels() const { return kernels_; }
  /// Adds a member to the file of --host-json.
  void add_to_host(const std::string& name, nlohmann::ordered_json value) { host_[name] = std::move(value); }
  /// `running`: of a run that is not complete. `more`: an object whose members are added to the JSON file.
  void finish(bool complete, const report::HostReport& host,
              nlohmann::ordered_json more = nlohmann::ordered_json::object(),
              const std::optional<report::RunningKernel>& running = std::nullopt);

 private:
  /// Calls `work`; if the file cannot be written, it is given up.
  template <class Stream, class Work>
  void write(std::optional<Stream>& stream, Work work);
  void lose(const Error& error);
  void print(const std::string& text);
  bool chosen(const report::KernelReport& kernel);
  /// Why no launch is reported, and what there is.
  std::string why_none() const;
  void show(const report::KernelReport& kernel);
  void show_details(const report::KernelReport& kernel);

  const ResultOptions& options_;
  std::string gpu_;
  std::optional<report::JsonStream> json_;
  std::optional<report::CsvStream> csv_;
  std::optional<page::RunPage> page_;
  std::optional<report::NcuStream> ncu_;
  std::optional<report::SourceCsv> source_;
  std::optional<DurableFile> report_;
  LaunchChoice choice_;
  report::TerminalOptions terminal_;
  report::LaunchList launches_;
  std::optional<report::KernelReport> first_;  ///< kept until it is known whether another launch follows
  nlohmann::ordered_json host_ = nlohmann::ordered_json::object();
  std::size_t kernels_ = 0, shown_ = 0;
  std::set<std::string> other_names_;  ///< some of the kernels that --kernel does not match
  bool printing_ = true;
  std::optional<Error> lost_;  ///< why the first of the lost files could not be written
};

}  // namespace sassim::cli
