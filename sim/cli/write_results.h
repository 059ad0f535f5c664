// SPDX-License-Identifier: Apache-2.0
// --json and --csv, and the report on the terminal, as run and exec have them.
#pragma once

#include <string>
#include <vector>

#include "sim/base/output_target.h"
#include "sim/report/result.h"

namespace CLI {
class App;
}

namespace sassim::cli {

struct ResultOptions {
  std::string json, csv;
  bool metrics = false;
  std::size_t lines = 8;

  void add_to(CLI::App& command);
  /// For check_outputs().
  std::vector<NamedFile> files() const { return {{"--json", json}, {"--csv", csv}}; }
};

/// Writes the files that were asked for, and the report to standard output.
void write_results(const report::RunReport& report, const ResultOptions& options);

}  // namespace sassim::cli
