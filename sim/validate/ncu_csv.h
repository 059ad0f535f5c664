// SPDX-License-Identifier: Apache-2.0
// Reads Nsight Compute's CSV: `ncu --csv --page raw` (a column per metric) and `ncu --csv` (a row per metric).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sassim::validate {

struct ProfiledKernel {
  std::string name;                                    ///< as printed, with parameters
  std::string grid, block;                             ///< "(4096, 1, 1)"
  std::map<std::string, double, std::less<>> metrics;  ///< in base units: bytes, nanoseconds, hertz, percent
};

/// The kernels in launch order. Lines before the header (ncu's own messages, the program's output) are skipped. Throws
/// InputError naming file and line.
std::vector<ProfiledKernel> read_ncu_csv(const std::string& path);

/// The same from text; `place` names it in errors.
std::vector<ProfiledKernel> parse_ncu_csv(const std::string& text, const std::string& place);

}  // namespace sassim::validate
