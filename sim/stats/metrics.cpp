// SPDX-License-Identifier: Apache-2.0
#include "sim/stats/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace sassim::stats {

namespace {

/// `combined`: how the values of several instances become one; nothing: they do not.
Rollup declared(std::string_view name, std::optional<Rollup> combined) {
  const std::optional<Rollup> named = rollup_in(name);
  if (!named) throw std::logic_error(fmt::format("the name of metric '{}' does not end with a rollup", name));
  if (combined && combined != named)
    throw std::logic_error(fmt::format("metric '{}' is reported as a {}", name, rollup_row(*combined).name));
  return *named;
}

Metric& slot(std::map<std::string, Metric, std::less<>>& metrics, std::string_view name, std::string_view unit,
             std::string_view meaning, std::optional<Rollup> combined) {
  auto found = metrics.find(name);
  if (found == metrics.end()) {
    const Rollup rollup = declared(name, combined);
    found = metrics.emplace(std::string(name), Metric{}).first;
    found->second.rollup = rollup;
    found->second.unit = unit;
    found->second.meaning = meaning;
  } else if (found->second.unit != unit || found->second.meaning != meaning) {
    throw std::logic_error(fmt::format("metric '{}' is declared twice with different meanings", name));
  }
  return found->second;
}

}  // namespace

void MetricSet::sum(std::string_view name, std::string_view unit, std::string_view meaning, std::uint64_t value) {
  slot(metrics_, name, unit, meaning, Rollup::sum).value += static_cast<double>(value);
}

void MetricSet::more(std::string_view name, std::uint64_t value) {
  const auto found = metrics_.find(name);
  if (found == metrics_.end()) throw std::logic_error(fmt::format("metric '{}' has not been reported", name));
  found->second.value += static_cast<double>(value);
}

void MetricSet::max(std::string_view name, std::string_view unit, std::string_view meaning, double value) {
  Metric& metric = slot(metrics_, name, unit, meaning, Rollup::max);
  metric.value = std::max(metric.value, value);
}

void MetricSet::min(std::string_view name, std::string_view unit, std::string_view meaning, double value) {
  const bool known = has(name);
  Metric& metric = slot(metrics_, name, unit, meaning, Rollup::min);
  metric.value = known ? std::min(metric.value, value) : value;
}

void MetricSet::set(std::string_view name, std::string_view unit, std::string_view meaning, double value) {
  const bool known = has(name);
  Metric& metric = slot(metrics_, name, unit, meaning, std::nullopt);
  if (known && metric.value != value) throw std::logic_error(fmt::format("metric '{}' is set twice", name));
  metric.value = value;
  metric.integral = false;
}

void MetricSet::largest(std::string_view name, std::string_view unit, std::string_view meaning,
                        std::vector<std::string> parts) {
  if (parts.empty()) throw std::logic_error(fmt::format("metric '{}' is the largest of nothing", name));
  double most = (*this)[parts.front()];
  for (const std::string& part : parts) most = std::max(most, (*this)[part]);
  set(name, unit, meaning, most);
  metrics_.find(name)->second.parts = std::move(parts);
}

void MetricSet::read(std::string_view name, std::string_view unit, double value, bool integral,
                     std::vector<std::string> parts) {
  metrics_[std::string(name)] = {
      rollup_in(name).value_or(Rollup::value), std::string(unit), "", value, integral, std::move(parts)};
}

void MetricSet::clear_values() {
  for (auto& [name, metric] : metrics_) metric.value = 0;
}

bool MetricSet::has(std::string_view name) const { return metrics_.find(name) != metrics_.end(); }

double MetricSet::operator[](std::string_view name) const {
  auto found = metrics_.find(name);
  if (found == metrics_.end()) throw std::out_of_range(fmt::format("no metric '{}'", name));
  return found->second.value;
}

}  // namespace sassim::stats
