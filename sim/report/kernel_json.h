// SPDX-License-Identifier: Apache-2.0
// Kernels in a row as JSON. What many launches have in common is written once: the unit of a metric, the parts of a
// throughput and the text of a line of SASS stand in the first kernel that has them and again only where they differ.
// The first kernel of a row is therefore whole, and every kernel has all of its metrics.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/result.h"

namespace sassim::report {

/// What the kernels of a row have said so far.
struct KernelRow {
  std::vector<stats::Metric> metrics;                                  ///< of the last kernel
  std::map<std::string, std::string, std::less<>> units;               ///< by metric
  std::map<std::string, std::vector<std::string>, std::less<>> parts;  ///< by metric: its breakdown
  std::map<std::pair<std::string, std::uint32_t>, std::string> sass;   ///< by kernel name and PC: what was said of it
  std::map<std::pair<std::string, std::uint32_t>, LineStalls> lines;   ///< the same, as it was read
};

class KernelWriter {
 public:
  nlohmann::ordered_json write(const KernelReport& kernel);

 private:
  KernelRow row_;
};

class KernelReader {
 public:
  /// The kernels must come in the order in which they were written. Throws InputError starting with `place`.
  KernelReport read(const nlohmann::ordered_json& json, const std::string& place);

 private:
  KernelRow row_;
};

}  // namespace sassim::report
