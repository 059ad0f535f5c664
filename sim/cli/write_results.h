// SPDX-License-Identifier: Apache-2.0
// --json, --csv and --host-json, and the report on the terminal, as run and exec have them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/output_target.h"
#include "sim/cli/name_filter.h"
#include "sim/report/launch_list.h"
#include "sim/report/ncu_stream.h"
#include "sim/report/result.h"
#include "sim/report/result_stream.h"
#include "sim/report/source_page.h"

namespace CLI {
class App;
}

namespace sassim::cli {

/// With the commit that this command was built from.
report::RunReport labelled(report::RunReport run);

struct ResultOptions {
  std::string json, csv, csv_ncu, csv_source, host_json;
  bool metrics = false, mangled = false;
  std::size_t lines = 8;
  std::string page = "auto";  ///< details, source or launches; auto: launches where there are several, else details
  std::string kernel;         ///< a regular expression
  std::size_t launch_skip = 0, launch_count = 0;  ///< of those that match; a count of 0: all

  void add_to(CLI::App& command);
  /// For check_outputs().
  std::vector<NamedFile> files() const {
    return {{"--json", json},
            {"--csv", csv},
            {"--csv-ncu", csv_ncu},
            {"--csv-source", csv_source},
            {"--host-json", host_json}};
  }
};

/// Writes the files that were asked for, and the report to standard output, kernel by kernel. The files get their names
/// in finish(); without it there are none. What cannot be written is told of at once and left out; the rest goes on,
/// and finish() throws at its end.
class ResultOutput {
 public:
  /// `run` says which GPU; its kernels are not looked at.
  ResultOutput(const ResultOptions& options, const report::RunReport& run);

  void add(const report::KernelReport& kernel);
  /// Those that were added, chosen or not.
  std::size_t kernels() const { return kernels_; }
  /// `more`: an object whose members join the JSON file.
  void finish(bool complete, const report::HostReport& host,
              const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

 private:
  /// Does `work`; when the file cannot be written it is given up.
  template <class Stream, class Work>
  void write(std::optional<Stream>& stream, Work work);
  void lose(const Error& error);
  void print(const std::string& text);
  bool chosen(const report::KernelReport& kernel);
  void show(const report::KernelReport& kernel);
  void show_details(const report::KernelReport& kernel);

  const ResultOptions& options_;
  std::string gpu_;
  std::optional<report::JsonStream> json_;
  std::optional<report::CsvStream> csv_;
  std::optional<report::NcuStream> ncu_;
  std::optional<report::SourceCsv> source_;
  NameFilter filter_;
  report::TerminalOptions terminal_;
  report::LaunchList launches_;
  std::optional<report::KernelReport> first_;  ///< shown when it is known whether another launch follows
  std::size_t kernels_ = 0, matching_ = 0, shown_ = 0;
  bool printing_ = true;
  std::optional<Error> lost_;  ///< why the first of the files could not be written
};

}  // namespace sassim::cli
