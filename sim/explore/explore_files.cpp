// SPDX-License-Identifier: Apache-2.0
// The files of an exploration: a row per variant, as CSV and JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/base/csv.h"
#include "sim/base/durable_file.h"
#include "sim/base/printable.h"
#include "sim/base/version.h"
#include "sim/config/dump.h"
#include "sim/explore/explore_output.h"
#include "sim/explore/payoff.h"

namespace sassim::explore {

namespace {

using Json = nlohmann::ordered_json;

Json number_json(const MetricValue& value) {
  constexpr double kMostExact = 9e15;
  if (value.integral && std::abs(value.value) < kMostExact) return static_cast<std::int64_t>(std::llround(value.value));
  return value.value;
}

Json metrics_json(const MetricTable& metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : metrics) json[name] = number_json(value);
  return json;
}

Json variant_json(const Explored& explored, const Variant& variant) {
  Json values = Json::object();
  for (std::size_t i = 0; i < variant.at.size(); ++i)
    values[explored.axes[i].path] = explored.axes[i].values[variant.at[i]];
  Json json = {{"values", std::move(values)}, {"status", state_name(variant.state)}};
  if (variant.config) json["config_hash"] = config::config_hash(*variant.config);
  if (!variant.error.empty()) json["error"] = variant.error;
  if (variant.state == campaign::PointState::done) json["metrics"] = metrics_json(variant.metrics);
  if (variant.kernels.size() < 2) return json;
  for (const KernelMetrics& kernel : variant.kernels)
    json["kernels"].push_back({{"name", printable(kernel.name)}, {"metrics", metrics_json(kernel.metrics)}});
  return json;
}

bool several_kernels(const Explored& explored) {
  return std::any_of(explored.variants.begin(), explored.variants.end(),
                     [](const Variant& variant) { return variant.kernels.size() > 1; });
}

/// The metrics of each row of points.csv: a row for each kernel, and one for a variant without results.
std::vector<const MetricTable*> rows_of(const Variant& variant, bool several) {
  if (!several || variant.kernels.empty()) return {&variant.metrics};
  std::vector<const MetricTable*> rows;
  for (const KernelMetrics& kernel : variant.kernels) rows.push_back(&kernel.metrics);
  return rows;
}

Json axes_json(const Explored& explored) {
  Json axes = Json::array();
  for (const Axis& axis : explored.axes) axes.push_back({{"key", axis.path}, {"values", axis.values}});
  return axes;
}

Json payoffs_json(const Explored& explored) {
  Json all = Json::array();
  for (const Payoff& p : payoffs(explored))
    all.push_back({{"key", explored.axes[p.axis].path},
                   {"others", p.others},
                   {"value", p.value},
                   {"cycles", p.cycles},
                   {"best", p.best},
                   {"best_cycles", p.best_cycles}});
  return all;
}

Json what_if_json(const Explored& explored) {
  Json rows = Json::array();
  for (const Recovered& row : ranked(explored))
    rows.push_back({{"name", row.idealisation->name},
                    {"overrides", row.idealisation->overrides},
                    {"cycles", row.cycles},
                    {"recovered", row.recovered},
                    {"metrics", metrics_json(row.variant->metrics)}});
  return rows;
}

Json curve_json(const MissCurve& curve) {
  Json steps = Json::array();
  for (const MissCurve::Step& step : curve.steps()) steps.push_back({step.bytes, step.rate});
  return Json{{"sectors", curve.sectors()}, {"hit_rate_from_bytes", std::move(steps)}};
}

}  // namespace

const char* state_name(campaign::PointState state) {
  return state == campaign::PointState::done ? "done" : state == campaign::PointState::failed ? "failed" : "missing";
}

std::string points_csv(const Explored& explored) {
  const bool several = several_kernels(explored);
  std::set<std::string> names;
  for (const Variant& variant : explored.variants)
    for (const MetricTable* metrics : rows_of(variant, several))
      for (const auto& [name, value] : *metrics) names.insert(name);
  std::string text;
  for (const Axis& axis : explored.axes) text += csv_cell(axis.path) + ",";
  text += several ? "status,kernel,name" : "status";
  for (const std::string& name : names) text += "," + csv_cell(name);
  for (const Variant& variant : explored.variants) {
    std::size_t kernel = 0;
    for (const MetricTable* metrics : rows_of(variant, several)) {
      text += "\n";
      for (std::size_t i = 0; i < variant.at.size(); ++i)
        text += csv_cell(explored.axes[i].values[variant.at[i]]) + ",";
      text += state_name(variant.state);
      if (several && !variant.kernels.empty())
        text += fmt::format(",{},{}", kernel, csv_cell(printable(variant.kernels[kernel].name)));
      else if (several)
        text += ",,";
      ++kernel;
      for (const std::string& name : names) {
        const auto found = metrics->find(name);
        text += "," + (found == metrics->end() ? "" : format_value(found->second));
      }
    }
  }
  return text + "\n";
}

std::string points_json(const Explored& explored) {
  Json units = Json::object(), points = Json::array();
  for (const Variant& variant : explored.variants) {
    points.push_back(variant_json(explored, variant));
    for (const MetricTable* metrics : rows_of(variant, variant.kernels.size() > 1))
      for (const auto& [name, value] : *metrics) units[name] = value.unit;
  }
  Json json = {
      {"schema", "sassim-points/1"},
      {"study", "explore"},
      {"version", kVersion},
      {"config", {{"name", config::shown_name(*explored.config)}, {"hash", config::config_hash(*explored.config)}}},
      {"traces", explored.traces},
      {"trace_hashes", explored.trace_hashes},
      {"dependence_modes", explored.dependence_modes},
      {"caches", explored.caches},
      {"notes", explored.notes},
      {"combine", explored.combine == Combine::zip ? "zip" : "grid"},
      {"vary", axes_json(explored)},
      {"stops_paying", payoffs_json(explored)},
      {"points", std::move(points)},
      {"units", std::move(units)},
      {"complete", explored.complete}};
  if (!explored.idealised.empty()) json["what_if"] = what_if_json(explored);
  if (explored.curves)
    json["miss_curves"] = {{"l1", curve_json(explored.curves->l1)}, {"l2", curve_json(explored.curves->l2)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string what_if_csv(const Explored& explored) {
  std::string text = "idealisation,overrides,cycles,recovered_cycles,recovered_percent\n";
  if (explored.idealised.empty()) return text;
  const double base = cycles_of(explored.idealised.front().metrics);
  for (const Recovered& row : ranked(explored))
    text += fmt::format("{},{},{},{},{:.4f}\n", csv_cell(row.idealisation->name),
                        csv_cell(fmt::format("{}", fmt::join(row.idealisation->overrides, " "))), row.cycles,
                        row.recovered, 100 * row.recovered / base);
  return text;
}

std::string miss_curves_csv(const MissCurves& curves) {
  std::string text = "cache,capacity_bytes,hit_rate\n";
  for (const auto& [name, curve] : {std::pair{"l1", &curves.l1}, std::pair{"l2", &curves.l2}})
    for (const MissCurve::Step& step : curve->steps()) text += fmt::format("{},{},{}\n", name, step.bytes, step.rate);
  return text;
}

std::vector<Recovered> ranked(const Explored& explored) {
  std::vector<Recovered> rows;
  if (explored.idealised.empty() || explored.idealised.front().state != campaign::PointState::done) return rows;
  const double base = cycles_of(explored.idealised.front().metrics);
  for (std::size_t i = 0; i < explored.idealisations.size(); ++i) {
    const Variant& variant = explored.idealised[i + 1];
    if (variant.state != campaign::PointState::done) continue;
    const double cycles = cycles_of(variant.metrics);
    rows.push_back({&explored.idealisations[i], &variant, cycles, base - cycles});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Recovered& a, const Recovered& b) { return a.recovered > b.recovered; });
  return rows;
}

void write_explored_points(const std::filesystem::path& folder, const Explored& explored) {
  write_durably(folder / "points.csv", points_csv(explored));
  write_durably(folder / "points.json", points_json(explored));
}

std::vector<std::string> write_explored(const std::filesystem::path& folder, const Explored& explored) {
  std::vector<std::string> names;
  const auto write = [&](const std::string& name, const std::string& text) {
    write_durably(folder / name, text);
    names.push_back(name);
  };
  write("points.csv", points_csv(explored));
  write("points.json", points_json(explored));
  if (!explored.idealised.empty()) write("what_if.csv", what_if_csv(explored));
  if (explored.curves) write("miss_curves.csv", miss_curves_csv(*explored.curves));
  const auto plots = explore_plots(explored);
  for (const plot::NamedPlot& plot : plots) {
    plot::write_plot(folder / plot.stem, plot.plot);
    names.push_back(plot.stem + ".svg");
    names.push_back(plot.stem + ".png");
  }
  write("index.html", explore_html(explored));
  return names;
}

}  // namespace sassim::explore
