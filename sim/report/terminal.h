// SPDX-License-Identifier: Apache-2.0
// A result as people read it on a terminal: what bounds the kernel, sections like a profiler's, the hottest lines.
#pragma once

#include <optional>
#include <string>

#include "sim/report/result.h"

namespace sassim::report {

struct TerminalOptions {
  std::size_t hot_lines = 8;  ///< SASS lines with the most warp cycles; 0: none
  bool all_metrics = false;   ///< every metric by name, too
  bool for_people = false;    ///< true: numbers like 5 006 and 2.27 MiB; false: plain numbers in the unit of the metric
  bool mangled = false;       ///< kernel names as the program has them
  std::optional<double> expected_error{};  ///< of the cycles, in percent: the mean of the GPU's validation
  std::string caches{};                    ///< what each kernel found in the caches: "cold", ...; empty: not told
  std::string trust{};                     ///< a sentence about how far the cycles can be trusted; empty: not told
};

/// One kernel on the GPU with this name.
std::string kernel_text(const KernelReport& kernel, const std::string& gpu, const TerminalOptions& options = {});

/// "saxpy(float)  grid 4x1x1  block 256x1x1  on t4", and what is to be known before the numbers.
std::string kernel_head(const KernelReport& kernel, const std::string& gpu, const TerminalOptions& options);

/// "Caches at its start: cold (...). Expected error ...": under what conditions numbers hold; `its`: the kernel's, or
/// those of each of several.
std::string conditions_text(const TerminalOptions& options, std::string_view its);

/// The last line of the report of a run that was stopped after `done` launches, without a line end. `mangled`: the name
/// is shown as the program has it.
std::string partial_text(std::size_t done, const std::optional<RunningKernel>& running, bool mangled = false);

/// Long form: kernel, metric, unit, value, below a header line.
std::string csv_head();
std::string csv_rows(std::size_t index, const KernelReport& kernel);

}  // namespace sassim::report
