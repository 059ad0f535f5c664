// SPDX-License-Identifier: Apache-2.0
// --json, --csv and --host-json, and the report on the terminal, as run and exec have them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/output_target.h"
#include "sim/report/ncu_stream.h"
#include "sim/report/result.h"
#include "sim/report/result_stream.h"

namespace CLI {
class App;
}

namespace sassim::cli {

struct ResultOptions {
  std::string json, csv, csv_ncu, host_json;
  bool metrics = false;
  std::size_t lines = 8;

  void add_to(CLI::App& command);
  /// For check_outputs().
  std::vector<NamedFile> files() const { return {{"--json", json}, {"--csv", csv}, {"--csv-ncu", csv_ncu}, {"--host-json", host_json}}; }
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
  std::optional<report::NcuStream> ncu_;
  std::size_t kernels_ = 0;
};

}  // namespace sassim::cli
