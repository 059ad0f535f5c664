// SPDX-License-Identifier: Apache-2.0
// The kernels of a run as JSON, one after the other. What launches have in common (units of metrics, parts of
// throughputs, text of SASS) stands in the first kernel that has it, and again only where it differs. Every kernel has
// all of its metrics: by name, or in the compact form as values alone where the kernel before has the same names.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/result.h"

namespace sassim::report {

enum class KernelForm {
  whole,
  compact,  ///< values of metrics without names that the kernel before has, and rows of lines as lists
  between,  ///< compact, and without what the reader finds again: for two processes of one command
};

/// What the kernels that were written or read so far have said, so that the next one need not say it again.
struct KernelRow {
  std::vector<stats::Metric> metrics;                                  ///< of the last kernel
  std::string names;                                                   ///< a checksum of the names of these metrics
  std::map<std::string, std::string, std::less<>> units;               ///< by metric
  std::map<std::string, std::vector<std::string>, std::less<>> parts;  ///< by metric: its breakdown
  std::map<std::pair<std::string, std::uint32_t>, std::string> sass;   ///< by kernel name and PC: what was said of it
  std::map<std::pair<std::string, std::uint32_t>, LineStalls> lines;   ///< the same, as it was read
};

class KernelWriter {
 public:
  explicit KernelWriter(KernelForm form = KernelForm::whole) : form_(form) {}
  nlohmann::ordered_json write(const KernelReport& kernel);

 private:
  void write_metrics(const KernelReport& kernel, nlohmann::ordered_json& json);
  nlohmann::ordered_json write_line(const KernelReport& kernel, const LineStalls& line);

  KernelForm form_;
  KernelRow row_;
  std::optional<KernelReport> last_;  ///< in the form `between`, which does not repeat an equal kernel
};

class KernelReader {
 public:
  /// The kernels must come in the order in which they were written. Throws InputError starting with `place`.
  KernelReport read(const nlohmann::ordered_json& json, const std::string& place);

 private:
  KernelReport read_new(const nlohmann::ordered_json& json);

  KernelRow row_;
  std::optional<KernelReport> last_;
};

}  // namespace sassim::report
