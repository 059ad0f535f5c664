// SPDX-License-Identifier: Apache-2.0
// Implements sassim::Metrics of the library: looks up metrics by name, and makes them from those of the simulator.
#include <sassim/result.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/library/inside.h"

namespace sassim {

const Metric* Metrics::find(const std::string& name) const {
  const auto found = std::lower_bound(all_.begin(), all_.end(), name,
                                      [](const Metric& a, const std::string& b) { return a.name < b; });
  return found != all_.end() && found->name == name ? &*found : nullptr;
}

double Metrics::operator[](const std::string& name) const {
  if (const Metric* metric = find(name)) return metric->value;
  std::vector<std::string> names;
  for (const Metric& metric : all_) names.push_back(metric.name);
  throw Error(ExitStatus::usage, "no metric '" + name + "'" + did_you_mean(name, names));
}

}  // namespace sassim

namespace sassim::library {

Metrics metrics_of(const stats::MetricSet& metrics) {
  std::vector<Metric> all;
  for (const auto& [row, value] : metrics.all())
    all.push_back({row->name, row->unit, row->meaning, value, row->integral});
  return Metrics(std::move(all));
}

}  // namespace sassim::library
