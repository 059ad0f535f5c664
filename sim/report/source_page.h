// SPDX-License-Identifier: Apache-2.0
// Every line of SASS with what it did: control bits, executions, threads, memory, stall cycles by reason, CUDA source.
#pragma once

#include <cstddef>
#include <string>

#include "sim/base/durable_file.h"
#include "sim/report/result.h"

namespace sassim::report {

/// A table for a terminal; the reasons of a line stand behind it, the largest first.
std::string source_text(const KernelReport& kernel);

/// One row per launch and line, one column per stall reason.
class SourceCsv {
 public:
  explicit SourceCsv(const std::string& path);
  void add(const KernelReport& kernel);
  /// A row that says that the run was stopped: `partial` stands where others have SASS, and all numbers are 0.
  void stopped(const std::string& running, const std::string& partial);
  void finish() { file_.commit(); }

 private:
  void write_row(const std::string& kernel, const LineStalls& line, std::uint64_t slice_blocks);

  DurableFile file_;
  std::size_t count_ = 0;
};

}  // namespace sassim::report
