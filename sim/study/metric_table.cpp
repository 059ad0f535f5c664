// SPDX-License-Identifier: Apache-2.0
#include "sim/study/metric_table.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/types.h"

namespace sassim::study {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCycles = "gpc__cycles_elapsed.max";

bool adds_up(const std::string& name, const std::string& unit) {
  return name.ends_with(".sum") || name == kCycles || (unit == "cycle" && !name.ends_with(".ratio"));
}

/// A metric's unit is written only at the first kernel that has the metric, so the table keeps it.
void add_kernel(MetricTable& table, const Json& kernel, double share) {
  const Json units = kernel.value("units", Json::object());
  for (const auto& [name, json] : kernel.at("metrics").items()) {
    MetricValue& value = table[name];
    value.unit = units.value(name, value.unit);
    const bool sums = adds_up(name, value.unit);
    value.value += json.get<double>() * (sums ? 1 : share);
    value.integral = value.integral && json.is_number_integer() && (sums || share == 1);
  }
}

double rate(const MetricTable& metrics, const char* hits, const char* misses) {
  const double found = value_of(metrics, hits), all = found + value_of(metrics, misses);
  return all > 0 ? found / all : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

MetricTable read_metrics(const std::string& result_json, const std::string& place) try {
  const Json kernels = Json::parse(result_json).at("kernels");
  double total = 0;
  for (const Json& kernel : kernels) total += kernel.at("metrics").at(kCycles).get<double>();
  MetricTable table;
  for (const Json& kernel : kernels)
    add_kernel(table, kernel, kernels.size() == 1 ? 1 : kernel.at("metrics").at(kCycles).get<double>() / total);
  return table;
} catch (const nlohmann::json::exception& error) {
  throw InputError("{}: not a result of a replay: {}", place, error.what());
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

}  // namespace sassim::study
