// SPDX-License-Identifier: Apache-2.0
// --json, --csv and --host-json, and the report on the terminal, as run and exec have them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/output_target.h"
#include "sim/report/page.h"
#include "sim/report/result.h"
#include "sim/report/result_stream.h"

namespace CLI {
class App;
}

namespace sassim::cli {

struct ResultOptions {
  std::string json, csv, host_json, html;
  bool metrics = false;
  std::size_t lines = 8;

  void add_to(CLI::App& command);
  /// Most intervals of the counters over time that these results need; 0: none.
  std::size_t series() const { return html.empty() ? 0 : 512; }
  /// For check_outputs().
  std::vector<NamedFile> files() const { return {{"--json", json}, {"--csv", csv}, {"--host-json", host_json}, {"--html", html}}; }
};

/// Writes the files that were asked for, and the report to standard output, kernel by kernel. The files get their names
/// in finish(); without it there are none.
class ResultOutput {
 public:
  /// `run` says which GPU; its kernels are not looked at.
  ResultOutput(const ResultOptions& options, const report::RunReport& run);

  void add(const report::KernelReport& kernel);
  std::size_t kernels() const { return kernels_; }
  /// `more`: an object whose members join the JSON file.
  void finish(bool complete, const report::HostReport& host,
              const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

 private:
  const ResultOptions& options_;
  std::string gpu_;
  std::optional<report::JsonStream> json_;
  std::optional<report::CsvStream> csv_;
  std::optional<report::RunPage> page_;
  std::size_t kernels_ = 0;
};

}  // namespace sassim::cli
