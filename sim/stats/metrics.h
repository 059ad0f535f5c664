// SPDX-License-Identifier: Apache-2.0
// The metrics of one launch, as results have them: rows of the list of counters (sim/stats/counter.h) with values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/stats/counter.h"

namespace sassim::stats {

struct Metric {
  const CounterRow* row;
  double value;

  const std::string& name() const { return row->name; }
  bool operator==(const Metric&) const = default;
};

/// Sorted by name, so that the same run gives the same bytes.
class MetricSet {
 public:
  /// Adds a metric, or replaces the one of this name. `row` must live as long as the program.
  void add(const CounterRow& row, double value);
  /// What a result file says of a metric, whatever its name is.
  void read(std::string_view name, std::string_view unit, double value, bool integral,
            const std::vector<std::string>& parts = {}) {
    add(described(name, unit, integral, parts), value);
  }

  /// Sets every value to 0: what is left says which metrics there are.
  void clear_values();
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// nullptr: there is none of this name.
  const Metric* find(std::string_view name) const;
  /// Throws std::out_of_range that names the metric.
  double operator[](std::string_view name) const;
  const std::vector<Metric>& all() const { return metrics_; }
  bool operator==(const MetricSet&) const = default;

  template <class Archive>
  void state(Archive& archive) {
    std::vector<Saved> saved;
    for (const auto& [row, value] : metrics_) saved.push_back({row->name, row->unit, row->integral, row->parts, value});
    archive(saved);
    if constexpr (Archive::kLoading) {
      metrics_.clear();
      for (const Saved& metric : saved) read(metric.name, metric.unit, metric.value, metric.integral, metric.parts);
    }
  }

 private:
  struct Saved {
    std::string name, unit;
    bool integral = true;
    std::vector<std::string> parts;
    double value = 0;
  };

  std::vector<Metric> metrics_;
};

}  // namespace sassim::stats
