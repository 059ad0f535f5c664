// SPDX-License-Identifier: Apache-2.0
// The plots of an exploration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "sim/config/dump.h"
#include "sim/explore/explore_output.h"

namespace sassim::explore {

namespace {

using plot::Plot;
using plot::PlotPoint;
using plot::Scale;
using plot::Series;
using plot::SeriesKind;

constexpr std::size_t kMostSeries = 8;  ///< lines that a reader can tell apart
constexpr std::size_t kFewValues = 4;   ///< up to this many values get equal distances and their names as labels
constexpr double kLogFrom = 8;          ///< an axis is logarithmic if largest / smallest is at least this

struct PlottedQuantity {
  const char* stem;
  const char* title;
  const char* label;
  const char* unit;
  std::function<double(const MetricTable&)> of;
  bool bytes = false, percent = false;
};

const std::vector<PlottedQuantity>& plotted_quantities() {
  static const std::vector<PlottedQuantity> all = {
      {"cycles", "Cycles", "cycles", "", cycles_of},
      {"l1_hit_rate", "L1 hit rate", "sectors found in the L1", "%", l1_hit_rate, false, true},
      {"l2_hit_rate", "L2 hit rate", "sectors found in the L2", "%", l2_hit_rate, false, true},
      {"l2_traffic", "Traffic between SMs and L2", "traffic of the L2", "B", l2_traffic, true},
      {"dram_traffic", "Traffic between L2 and DRAM", "traffic of DRAM", "B", dram_traffic, true},
  };
  return all;
}

/// The axis to draw along x: the one with the most values; numbers are preferred to names.
std::size_t along_x(const Explored& explored) {
  std::size_t best = 0;
  const auto worth = [&](std::size_t i) {
    return std::pair(!explored.axes[i].numbers.empty(), explored.axes[i].values.size());
  };
  for (std::size_t i = 1; i < explored.axes.size(); ++i)
    if (explored.combine == Combine::grid && worth(i) > worth(best)) best = i;
  return best;
}

bool named_places(const Axis& axis) { return axis.numbers.empty() || axis.values.size() <= kFewValues; }

plot::Axis x_axis(const Axis& axis) {
  plot::Axis x;
  x.label = axis.path;
  if (named_places(axis)) {
    x.categories = axis.values;
    return x;
  }
  x.bytes = axis.unit == "bytes";
  x.unit = x.bytes ? "B" : axis.unit;
  const auto [least, most] = std::minmax_element(axis.numbers.begin(), axis.numbers.end());
  if (*least > 0 && *most >= kLogFrom * *least) x.scale = Scale::log2;
  return x;
}

/// At most `most` indices, evenly spaced, with the first and the last.
std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t n = std::min(count, most);
  for (std::size_t i = 0; i < n; ++i) chosen.push_back(n == 1 ? 0 : i * (count - 1) / (n - 1));
  return chosen;
}

struct Lines {
  std::vector<std::string> order;  ///< settings of the other axes, in order of appearance
  std::map<std::string, std::vector<PlotPoint>> points;
};

/// One line along axis `x` for each setting of the other axes; zipped axes give one line.
Lines group(const Explored& explored, std::size_t x, const std::function<PlotPoint(const Variant&)>& place) {
  Lines lines;
  for (const Variant& variant : explored.variants) {
    if (variant.state != campaign::PointState::done) continue;
    std::string others;
    if (explored.combine == Combine::grid)
      for (std::size_t i = 0; i < explored.axes.size(); ++i)
        if (i != x)
          others += fmt::format("{}{}={}", others.empty() ? "" : " ", explored.axes[i].key,
                                explored.axes[i].values[variant.at[i]]);
    if (!lines.points.contains(others)) lines.order.push_back(others);
    lines.points[others].push_back(place(variant));
  }
  return lines;
}

std::vector<Series> named(Lines lines) {
  std::vector<Series> series;
  for (const std::size_t i : spread(lines.order.size(), kMostSeries)) {
    Series line;
    line.points = std::move(lines.points[lines.order[i]]);
    std::stable_sort(line.points.begin(), line.points.end(),
                     [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    line.name = lines.order[i].empty() ? "simulated" : lines.order[i];
    series.push_back(std::move(line));
  }
  return series;
}

Plot plot_of(const Explored& explored, const PlottedQuantity& quantity) {
  const std::size_t x = along_x(explored);
  const Axis& axis = explored.axes[x];
  Plot plot;
  plot.title = fmt::format("{} on {}", quantity.title, config::shown_name(*explored.config));
  plot.x = x_axis(axis);
  plot.y.label = quantity.label;
  plot.y.unit = quantity.unit;
  plot.y.bytes = quantity.bytes;
  if (quantity.percent) plot.y.from = 0, plot.y.to = 100;
  plot.series = named(group(explored, x, [&](const Variant& v) {
    const double at = named_places(axis) ? static_cast<double>(v.at[x]) : axis.numbers[v.at[x]];
    return PlotPoint{at, quantity.of(v.metrics) * (quantity.percent ? 100 : 1)};
  }));
  return plot;
}

/// The curve as a line of steps, without steps that are too close to see.
std::vector<PlotPoint> step_line(const MissCurve& curve, double to) {
  constexpr double kVisible = 1.01;
  std::vector<PlotPoint> points{{static_cast<double>(curve.granule()), 100 * curve.rate(curve.granule())}};
  for (const MissCurve::Step& step : curve.steps()) {
    const auto bytes = static_cast<double>(step.bytes);
    if (bytes < points.back().x * kVisible) continue;
    points.push_back({bytes, points.back().y});
    points.push_back({bytes, 100 * step.rate});
  }
  if (to > points.back().x) points.push_back({to, points.back().y});
  points.back().y = curve.steps().empty() ? 0 : 100 * curve.steps().back().rate;
  return points;
}

struct SimulatedCache {
  const char* name;
  std::string bound;  ///< what the curve is, for the legend
  std::string note;   ///< what the curve applies to
  const char* path;   ///< path of the key that sets the cache's size
  double (*size)(const Variant&);
  double (*rate)(const MetricTable&);
};

/// The finished variant that is the GPU as configured, to which the curve applies; nullptr if there is none.
const Variant* as_configured(const Explored& explored) {
  const std::string hash = config::config_hash(*explored.config);
  for (const Variant& variant : explored.variants)
    if (variant.state == campaign::PointState::done && config::config_hash(*variant.config) == hash) return &variant;
  return nullptr;
}

/// The variants along the axis of the cache's size, one line per setting of the other axes. If no axis varies the size:
/// one point for the GPU as configured, or for the first variant.
std::vector<Series> simulated_lines(const Explored& explored, const SimulatedCache& cache) {
  const auto axis =
      std::find_if(explored.axes.begin(), explored.axes.end(), [&](const Axis& a) { return a.path == cache.path; });
  const auto x = static_cast<std::size_t>(axis - explored.axes.begin());
  Lines lines = group(explored, x, [&](const Variant& v) {
    return PlotPoint{cache.size(v), 100 * cache.rate(v.metrics)};
  });
  if (axis == explored.axes.end() && !lines.order.empty()) {
    const Variant* base = as_configured(explored);
    if (base != nullptr)
      return {{base->label.empty() ? "simulated" : base->label,
               SeriesKind::simulated,
               {{cache.size(*base), 100 * cache.rate(base->metrics)}},
               {}}};
    lines.order.resize(1);
  }
  return named(std::move(lines));
}

Plot curve_plot(const Explored& explored, const MissCurve& curve, const SimulatedCache& cache) {
  Plot plot;
  plot.note = cache.note;
  plot.title = fmt::format("{} hit rate over its size, on {}", cache.name, config::shown_name(*explored.config));
  plot.x.label = fmt::format("{} capacity", cache.name);
  plot.x.unit = "B";
  plot.x.bytes = true;
  plot.x.scale = Scale::log2;
  plot.y.label = "sectors found";
  plot.y.unit = "%";
  plot.y.from = 0;
  plot.y.to = 100;
  std::vector<Series> simulated = simulated_lines(explored, cache);
  double largest = static_cast<double>(curve.granule()) * 2;
  for (const Series& line : simulated)
    for (const PlotPoint& point : line.points) largest = std::max(largest, point.x);
  plot.series.push_back({cache.bound, SeriesKind::model, step_line(curve, largest), {}});
  std::move(simulated.begin(), simulated.end(), std::back_inserter(plot.series));
  return plot;
}

}  // namespace

std::vector<plot::NamedPlot> explore_plots(const Explored& explored) {
  std::vector<plot::NamedPlot> plots;
  const bool any = std::any_of(explored.variants.begin(), explored.variants.end(),
                               [](const Variant& v) { return v.state == campaign::PointState::done; });
  if (any && !explored.axes.empty())
    for (const PlottedQuantity& quantity : plotted_quantities())
      plots.push_back({quantity.stem, plot_of(explored, quantity)});
  if (!explored.curves) return plots;
  const std::string as_configured = fmt::format("the configured L1 of {} KiB", explored.config->sm.l1.size / 1024);
  const SimulatedCache l1{
      "L1",
      "LRU bound",
      "LRU bound: fully associative, for the accesses in the order that " + as_configured + " sees.",
      "sm.l1.size",
      [](const Variant& v) { return static_cast<double>(v.l1_data); },
      l1_hit_rate};
  const SimulatedCache l2{
      "L2",
      "LRU bound for the configured L1",
      "LRU bound: fully associative, for what " + as_configured + " sends; another L1 sends something else.",
      "memory.l2.size",
      [](const Variant& v) { return static_cast<double>(v.config->memory.l2.size); },
      l2_hit_rate};
  if (explored.curves->l1.sectors() > 0)
    plots.push_back({"l1_miss_curve", curve_plot(explored, explored.curves->l1, l1)});
  if (explored.curves->l2.sectors() > 0)
    plots.push_back({"l2_miss_curve", curve_plot(explored, explored.curves->l2, l2)});
  return plots;
}

}  // namespace sassim::explore
