// SPDX-License-Identifier: Apache-2.0
// A result as people read it on a terminal: sections like a profiler's, the hottest lines, where the time went.
#pragma once

#include <string>

#include "sim/report/result.h"

namespace sassim::report {

struct TerminalOptions {
  std::size_t hot_lines = 8;  ///< SASS lines with the most warp cycles; 0: none
  bool all_metrics = false;   ///< every metric by name, too
  bool group_digits = false;  ///< 5 006 for a person; 5006, which is one word, for a program
};

/// One kernel on the GPU with this name.
std::string kernel_text(const KernelReport& kernel, const std::string& gpu, const TerminalOptions& options = {});

/// Long form: kernel, metric, unit, value, below a header line.
std::string csv_head();
std::string csv_rows(std::size_t index, const KernelReport& kernel);

}  // namespace sassim::report
