// SPDX-License-Identifier: Apache-2.0
// --vary: keys of a configuration with lists of values, and the points that result.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::explore {

struct Axis {
  std::string key;                  ///< as typed: "l1.size"
  std::string path;                 ///< in full: "sm.l1.size"
  std::string unit;                 ///< "bytes", "cycles", "Hz" or nothing
  std::vector<std::string> values;  ///< as written in a configuration: "64KiB"
  std::vector<double> numbers;      ///< the values in plain units; empty if they are not numbers
};

/// Reads KEY=V1,V2,... Numbers may be ranges as in lists, with units: 16KiB..256KiB:*2. Throws InputError for an
/// unknown key and UsageError for all else; both name the option.
Axis parse_axis(std::string_view text);

enum class Combine { grid, zip };

/// For each point, the index into each axis' values: all combinations with the last axis fastest, or all axes in
/// parallel (zipped). Throws UsageError when zipped axes have different lengths, a key appears twice, or there are more
/// than a million points.
std::vector<std::vector<std::size_t>> combine(const std::vector<Axis>& axes, Combine how);

}  // namespace sassim::explore
