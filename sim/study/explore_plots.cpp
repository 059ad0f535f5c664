// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "sim/study/explore_output.h"

namespace sassim::study {

namespace {

using report::Plot;
using report::PlotPoint;
using report::Scale;
using report::Series;
using report::SeriesKind;

constexpr std::size_t kMostSeries = 8;  ///< that a reader can tell apart
constexpr double kLogFrom = 8;          ///< largest over smallest from which an axis is logarithmic

struct Quantity {
  const char* stem;
  const char* title;
  const char* label;
  const char* unit;
  std::function<double(const MetricTable&)> of;
  bool bytes = false, percent = false;
};

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all = {
      {"cycles", "Cycles", "cycles", "", cycles_of},
      {"l1_hit_rate", "L1 hit rate", "sectors found in the L1", "%", l1_hit_rate, false, true},
      {"l2_hit_rate", "L2 hit rate", "sectors found in the L2", "%", l2_hit_rate, false, true},
      {"l2_traffic", "Traffic between SMs and L2", "traffic of the L2", "B", l2_traffic, true},
      {"dram_traffic", "Traffic between L2 and DRAM", "traffic of DRAM", "B", dram_traffic, true},
  };
  return all;
}

/// The axis that is drawn along x: the one with the most values, numbers before names.
std::size_t along_x(const Explored& explored) {
  std::size_t best = 0;
  const auto worth = [&](std::size_t i) {
    return std::pair(!explored.axes[i].numbers.empty(), explored.axes[i].values.size());
  };
  for (std::size_t i = 1; i < explored.axes.size(); ++i)
    if (explored.combine == Combine::grid && worth(i) > worth(best)) best = i;
  return best;
}

report::Axis x_axis(const Axis& axis) {
  report::Axis x;
  x.label = axis.path;
  if (axis.numbers.empty()) {
    x.categories = axis.values;
    return x;
  }
  x.bytes = axis.unit == "bytes";
  x.unit = x.bytes ? "B" : axis.unit;
  const auto [least, most] = std::minmax_element(axis.numbers.begin(), axis.numbers.end());
  if (*least > 0 && *most >= kLogFrom * *least) x.scale = Scale::log2;
  return x;
}

/// At most so many, evenly taken, the first and the last among them.
std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t n = std::min(count, most);
  for (std::size_t i = 0; i < n; ++i) chosen.push_back(n == 1 ? 0 : i * (count - 1) / (n - 1));
  return chosen;
}

Plot plot_of(const Explored& explored, const Quantity& quantity) {
  const std::size_t x = along_x(explored);
  std::vector<std::string> order;
  std::map<std::string, Series> lines;
  for (const Variant& variant : explored.variants) {
    if (variant.state != PointState::done) continue;
    std::string others;
    if (explored.combine == Combine::grid)
      for (std::size_t i = 0; i < explored.axes.size(); ++i)
        if (i != x)
          others += fmt::format("{}{}={}", others.empty() ? "" : " ", explored.axes[i].key,
                                explored.axes[i].values[variant.at[i]]);
    if (!lines.contains(others)) order.push_back(others);
    const Axis& axis = explored.axes[x];
    const double at = axis.numbers.empty() ? static_cast<double>(variant.at[x]) : axis.numbers[variant.at[x]];
    lines[others].points.push_back({at, quantity.of(variant.metrics) * (quantity.percent ? 100 : 1)});
  }
  Plot plot;
  plot.title = fmt::format("{} on {}", quantity.title, explored.config->name);
  plot.x = x_axis(explored.axes[x]);
  plot.y.label = quantity.label;
  plot.y.unit = quantity.unit;
  plot.y.bytes = quantity.bytes;
  if (quantity.percent) plot.y.from = 0, plot.y.to = 100;
  for (const std::size_t i : spread(order.size(), kMostSeries)) {
    Series line = lines[order[i]];
    std::stable_sort(line.points.begin(), line.points.end(),
                     [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    line.name = order[i].empty() ? "simulated" : order[i];
    plot.series.push_back(std::move(line));
  }
  return plot;
}

/// The curve as a line of steps: thinned where steps lie closer than can be seen.
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

Plot curve_plot(const Explored& explored, const MissCurve& curve, const char* cache,
                const std::function<double(const Variant&)>& size, double (*rate)(const MetricTable&)) {
  Plot plot;
  plot.title = fmt::format("{} hit rate over its size, on {}", cache, explored.config->name);
  plot.x.label = fmt::format("{} capacity", cache);
  plot.x.unit = "B";
  plot.x.bytes = true;
  plot.x.scale = Scale::log2;
  plot.y.label = "sectors found";
  plot.y.unit = "%";
  plot.y.from = 0;
  plot.y.to = 100;
  Series simulated;
  double largest = static_cast<double>(curve.granule()) * 2;
  for (const Variant& variant : explored.variants)
    if (variant.state == PointState::done) {
      simulated.points.push_back({size(variant), 100 * rate(variant.metrics)});
      largest = std::max(largest, simulated.points.back().x);
    }
  std::stable_sort(simulated.points.begin(), simulated.points.end(),
                   [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  plot.series.push_back({"fully associative LRU, exact", SeriesKind::model, step_line(curve, largest), {}});
  simulated.name = "simulated";
  plot.series.push_back(std::move(simulated));
  return plot;
}

}  // namespace

std::vector<NamedPlot> explore_plots(const Explored& explored) {
  std::vector<NamedPlot> plots;
  const bool any = std::any_of(explored.variants.begin(), explored.variants.end(),
                               [](const Variant& v) { return v.state == PointState::done; });
  if (any && !explored.axes.empty())
    for (const Quantity& quantity : quantities()) plots.push_back({quantity.stem, plot_of(explored, quantity)});
  if (!explored.curves) return plots;
  if (explored.curves->l1.sectors() > 0)
    plots.push_back(
        {"l1_miss_curve", curve_plot(
                              explored, explored.curves->l1, "L1",
                              [](const Variant& v) { return static_cast<double>(v.l1_data); }, l1_hit_rate)});
  if (explored.curves->l2.sectors() > 0)
    plots.push_back(
        {"l2_miss_curve", curve_plot(
                              explored, explored.curves->l2, "L2",
                              [](const Variant& v) { return static_cast<double>(v.config->memory.l2.size); },
                              l2_hit_rate_with_pending)});
  return plots;
}

}  // namespace sassim::study
