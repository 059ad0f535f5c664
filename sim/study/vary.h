// SPDX-License-Identifier: Apache-2.0
// --vary: which keys of a configuration take which values, and the points that this makes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::study {

struct Axis {
  std::string key;                  ///< as typed: "l1.size"
  std::string path;                 ///< in full: "sm.l1.size"
  std::string unit;                 ///< "bytes", "cycles", "Hz" or nothing
  std::vector<std::string> values;  ///< as a configuration takes them: "64KiB"
  std::vector<double> numbers;      ///< the same in plain units; empty when the values are no numbers
};

/// Reads KEY=V1,V2,... where numbers may be ranges as lists have them, units included: 16KiB..256KiB:*2. Throws
/// InputError for an unknown key, UsageError for the rest, both naming the option.
Axis parse_axis(std::string_view text);

enum class Combine { grid, zip };

/// For each point the index into each axis' values: all combinations, the last axis fastest, or the axes side by side.
/// Throws UsageError when axes of different lengths are to be zipped, a key is varied twice, or there are more than a
/// million points.
std::vector<std::vector<std::size_t>> combine(const std::vector<Axis>& axes, Combine how);

}  // namespace sassim::study
