// SPDX-License-Identifier: Apache-2.0
// Metrics with Nsight Compute's names if the meaning is the same, otherwise with `sassim__` names. A component declares
// a metric once, in its report(), next to its counter; reporters use the set and name no metrics.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/stats/rollup.h"

namespace sassim::stats {

struct Metric {
  Rollup rollup = Rollup::value;
  std::string unit;     ///< "cycle", "inst", "sector", "byte", "%", "ratio", "warp"
  std::string meaning;  ///< one sentence
  double value = 0;
  bool integral = true;              ///< printed without a fraction
  std::vector<std::string> parts{};  ///< the metrics of which this one is the largest: its breakdown
};

/// Sorted by name, so that the same run gives the same bytes. A name ends with its rollup (sim/stats/rollup.h), and how
/// a component reports a metric must agree with it: anything else is a logic error.
class MetricSet {
 public:
  /// Adds to a sum; called once per instance of a component.
  void sum(std::string_view name, std::string_view unit, std::string_view meaning, std::uint64_t value);
  /// Adds to a sum that another part has reported. Throws std::logic_error if there is none.
  void more(std::string_view name, std::uint64_t value);
  /// Keeps the largest value.
  void max(std::string_view name, std::string_view unit, std::string_view meaning, double value);
  /// Keeps the smallest value.
  void min(std::string_view name, std::string_view unit, std::string_view meaning, double value);
  /// Sets a derived value. To set a name again to another value is a logic error.
  void set(std::string_view name, std::string_view unit, std::string_view meaning, double value);
  /// Sets a throughput to the largest of its parts, which must be there.
  void largest(std::string_view name, std::string_view unit, std::string_view meaning, std::vector<std::string> parts);

  /// What a result file says of a metric, whatever its name is.
  void read(std::string_view name, std::string_view unit, double value, bool integral,
            std::vector<std::string> parts = {});

  /// Sets every value to 0: what is left says which metrics there are.
  void clear_values();
  bool has(std::string_view name) const;
  /// Throws std::out_of_range that names the metric.
  double operator[](std::string_view name) const;
  const std::map<std::string, Metric, std::less<>>& all() const { return metrics_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(metrics_);
  }

 private:
  std::map<std::string, Metric, std::less<>> metrics_;
};

}  // namespace sassim::stats
