// SPDX-License-Identifier: Apache-2.0
// Reads metrics from a point's result, and derives hit rates and traffic for `sassim explore`.
#include "sim/explore/metric_table.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/types.h"

namespace sassim::explore {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCycles = "gpc__cycles_elapsed.max";

bool adds_up(const std::string& name, const std::string& unit) {
  return name.ends_with(".sum") || name == kCycles || (unit == "cycle" && !name.ends_with(".ratio"));
}

double rate(const MetricTable& metrics, const char* hits, const char* misses) {
  const double found = value_of(metrics, hits), all = found + value_of(metrics, misses);
  return all > 0 ? found / all : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<KernelMetrics> read_metrics(const std::string& result_json, const std::string& place) try {
  std::vector<KernelMetrics> kernels;
  std::map<std::string, std::string> units;  // a unit is written only at the first kernel that has the metric
  const Json result = Json::parse(result_json);
  for (const Json& json : result.at("kernels")) {
    KernelMetrics& kernel = kernels.emplace_back(KernelMetrics{json.value("name", ""), {}});
    const Json own_units = json.value("units", Json::object());
    for (const auto& [name, unit] : own_units.items()) units[name] = unit.get<std::string>();
    for (const auto& [name, value] : json.at("metrics").items())
      kernel.metrics[name] = {value.get<double>(), value.is_number_integer(), units[name]};
  }
  return kernels;
} catch (const nlohmann::json::exception& error) {
  throw InputError("{}: not a result of a replay: {}", place, error.what());
}

MetricTable total_of(const std::vector<KernelMetrics>& kernels) {
  if (kernels.size() == 1) return kernels.front().metrics;
  MetricTable total;
  for (const KernelMetrics& kernel : kernels)
    for (const auto& [name, metric] : kernel.metrics) {
      if (!adds_up(name, metric.unit)) continue;
      MetricValue& sum = total.try_emplace(name, MetricValue{0, true, metric.unit}).first->second;
      sum.value += metric.value;
      sum.integral = sum.integral && metric.integral;
    }
  return total;
}

std::string format_value(const MetricValue& value) {
  constexpr double kMostExact = 9e15;
  if (value.integral && std::abs(value.value) < kMostExact) return fmt::format("{}", std::llround(value.value));
  return fmt::format("{}", value.value);
}

double value_of(const MetricTable& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0 : found->second.value;
}

double cycles_of(const MetricTable& metrics) { return value_of(metrics, kCycles); }

double l1_hit_rate(const MetricTable& metrics) {
  return rate(metrics, "l1tex__t_sectors_lookup_hit.sum", "l1tex__t_sectors_lookup_miss.sum");
}

double l2_hit_rate(const MetricTable& metrics) {
  const double sectors = value_of(metrics, "lts__t_sectors.sum");
  const double hits =
      value_of(metrics, "lts__t_sectors_lookup_hit.sum") - value_of(metrics, "sassim__lts_sectors_profiled_hit.sum");
  return sectors > 0 ? hits / sectors : std::numeric_limits<double>::quiet_NaN();
}

double l2_traffic(const MetricTable& metrics) { return value_of(metrics, "lts__t_sectors.sum") * kSectorBytes; }

double dram_traffic(const MetricTable& metrics) { return value_of(metrics, "dram__bytes.sum"); }

}  // namespace sassim::explore
