// SPDX-License-Identifier: Apache-2.0
// Keeps the metrics of a launch sorted by name, for reports and result files to look up.
#include "sim/stats/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace sassim::stats {

namespace {

bool before(const Metric& metric, std::string_view name) { return metric.name() < name; }

}  // namespace

void MetricSet::add(const CounterRow& row, double value) {
  const bool last = metrics_.empty() || metrics_.back().name() < row.name;
  const auto at = last ? metrics_.end() : std::lower_bound(metrics_.begin(), metrics_.end(), row.name, before);
  if (at != metrics_.end() && at->name() == row.name)
    *at = {&row, value};
  else
    metrics_.insert(at, {&row, value});
}

void MetricSet::clear_values() {
  for (Metric& metric : metrics_) metric.value = 0;
}

const Metric* MetricSet::find(std::string_view name) const {
  const auto at = std::lower_bound(metrics_.begin(), metrics_.end(), name, before);
  return at == metrics_.end() || at->name() != name ? nullptr : &*at;
}

double MetricSet::operator[](std::string_view name) const {
  const Metric* metric = find(name);
  if (metric == nullptr) throw std::out_of_range(fmt::format("no metric '{}'", name));
  return metric->value;
}

}  // namespace sassim::stats
