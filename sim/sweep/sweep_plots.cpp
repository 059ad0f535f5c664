// SPDX-License-Identifier: Apache-2.0
// Draws for `sassim sweep`: throughput over occupancy, warps needed, models' errors.
#include "sim/sweep/sweep_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/config/dump.h"
#include "sim/config/gpu_config.h"

namespace sassim::sweep {

namespace {

using plot::Plot, plot::PlotPoint, plot::Scale, plot::Series, plot::SeriesKind;

plot::Axis axis(std::string label, std::string unit, Scale scale = Scale::linear) {
  plot::Axis made;
  made.label = std::move(label);
  made.unit = std::move(unit);
  made.scale = scale;
  return made;
}

Series series(std::string name, SeriesKind kind) {
  Series made;
  made.name = std::move(name);
  made.kind = kind;
  return made;
}

/// The simulator and the hardware have the first two colours. Five colours and four dash patterns distinguish twenty
/// models, which look the same in all plots.
void look_like_model(Series& line, std::size_t model) {
  line.color = 2 + model % 5;
  line.dash = model % 4;
}

template <class Map>
std::vector<PlotPoint> points(const Map& map) {
  std::vector<PlotPoint> all;
  for (const auto& [x, y] : map)
    if (!std::isinf(x)) all.push_back({static_cast<double>(x), y});
  return all;
}

Series model_series(const Sweep& sweep, const model::ThroughputModel& model, const std::string& name, double alpha) {
  Series line = series(name, SeriesKind::model);
  // Only at simulated occupancies: values between them would come from the model alone.
  std::vector<std::uint32_t> steps = sweep.plan.warps;
  std::sort(steps.begin(), steps.end());
  for (const std::uint32_t warps : steps)
    line.points.push_back({static_cast<double>(warps), sweep.predict(model, alpha, warps)});
  return line;
}

Plot throughput_plot(const Sweep& sweep, double alpha, const Curve& simulated) {
  Plot plot;
  plot.title = fmt::format("{}, α = {}", subject(sweep), alpha_name(alpha));
  plot.x = axis("Occupancy", "warps per SM");
  plot.x.from = 0;
  plot.y = axis("Throughput", "instructions per cycle and SM");
  plot.y.from = 0;
  Series line = series("simulated", SeriesKind::simulated);
  line.points = points(simulated);
  line.color = 0;
  plot.series.push_back(line);
  double top = 0;
  for (const PlotPoint& point : line.points) top = std::max(top, point.y);
  if (const auto measured = sweep.hardware.find(alpha); measured != sweep.hardware.end()) {
    Series marks = series("hardware", SeriesKind::hardware);
    marks.points = points(measured->second);
    marks.color = 1;
    for (const PlotPoint& point : marks.points) top = std::max(top, point.y);
    plot.series.push_back(std::move(marks));
  }
  for (std::size_t i = 0; i < sweep.models.size(); ++i) {
    const auto model = model::make_model(sweep.models[i]);
    if (!model->covers(sweep.parameters, sweep.mix(alpha))) continue;
    plot.series.push_back(model_series(sweep, *model, sweep.models[i], alpha));
    look_like_model(plot.series.back(), i);
  }
  // Larger predictions are outside of the plot.
  plot.y.to = 1.6 * top;
  return plot;
}

Plot cusp_plot(const Sweep& sweep) {
  Plot plot;
  plot.title = fmt::format("{}, {:g} % of peak", subject(sweep), 100 * kNeededPart);
  plot.x = axis("Arithmetic intensity α", "adds per other instruction", Scale::log2);
  plot.y = axis("Needed occupancy", "warps per SM");
  plot.y.from = 0;
  plot.y.to = 1.5 * sweep.parameters.max_warps;
  const Cusp simulated = needed(sweep, sweep.simulated());
  Series line = series("simulated", SeriesKind::simulated);
  // The line has a gap at an alpha for which no occupancy is enough.
  for (const double alpha : sweep.plan.alphas) {
    const auto found = simulated.warps.find(alpha);
    if (!std::isinf(alpha)) line.points.push_back({alpha, found == simulated.warps.end() ? NAN : found->second});
  }
  std::sort(line.points.begin(), line.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  line.color = 0;
  plot.series.push_back(std::move(line));
  if (!sweep.hardware.empty()) {
    Series marks = series("hardware", SeriesKind::hardware);
    marks.points = points(needed(sweep, sweep.hardware).warps);
    marks.color = 1;
    plot.series.push_back(std::move(marks));
  }
  for (std::size_t i = 0; i < sweep.models.size(); ++i) {
    Series model = series(sweep.models[i], SeriesKind::model);
    model.points = points(needed(sweep, *model::make_model(sweep.models[i]), sweep.plan.alphas).warps);
    look_like_model(model, i);
    if (!model.points.empty()) plot.series.push_back(std::move(model));
  }
  plot.guides.push_back({simulated.peak_alpha, fmt::format("rates meet at α = {:.3g}", simulated.peak_alpha)});
  plot.guides.push_back({sweep.parameters.max_warps, "all the SM holds", true});
  return plot;
}

Plot occupancy_plot(const Sweep& sweep) {
  Plot plot;
  const std::uint32_t most = *std::max_element(sweep.plan.warps.begin(), sweep.plan.warps.end());
  plot.title = fmt::format("{}, {} warps per SM", subject(sweep), most);
  plot.x = axis("Time", "% of the run");
  plot.y = axis("Occupancy", "warps per SM");
  plot.y.from = 0;
  for (const MixPoint& point : sweep.points) {
    if (point.workload.warps != most) continue;
    Series line = series("α = " + alpha_name(point.workload.alpha), SeriesKind::model);
    const std::vector<double>& warps = point.timeline.warps;
    for (std::size_t i = 0; i < warps.size(); ++i)
      line.points.push_back({100 * (static_cast<double>(i) + 0.5) / static_cast<double>(warps.size()), warps[i]});
    plot.series.push_back(std::move(line));
  }
  return plot;
}

Plot error_plot(const Sweep& sweep, const std::vector<ErrorRange>& errors, const std::string& against) {
  Plot plot;
  plot.title = fmt::format("{}: models against the {}", subject(sweep), against);
  plot.x = axis("Arithmetic intensity α", "adds per other instruction", Scale::log2);
  plot.y = axis("Model / measured", "min and max", Scale::log2);
  for (std::size_t i = 0; i < sweep.models.size(); ++i) {
    Series range = series(sweep.models[i], SeriesKind::model);
    std::vector<PlotPoint> most;
    for (const ErrorRange& error : errors) {
      if (error.model != sweep.models[i] || error.against != against || std::isinf(error.alpha)) continue;
      range.points.push_back({error.alpha, error.least > 0 ? error.least : NAN});
      most.push_back({error.alpha, error.most > 0 ? error.most : NAN});
    }
    if (range.points.empty()) continue;
    range.points.push_back({NAN, NAN});
    range.points.insert(range.points.end(), most.begin(), most.end());
    look_like_model(range, i);
    plot.series.push_back(std::move(range));
  }
  plot.guides.push_back({1, "exact", true});
  return plot;
}

}  // namespace

std::string alpha_name(double alpha) { return std::isinf(alpha) ? "inf" : fmt::format("{:g}", alpha); }

std::string subject(const Sweep& sweep) {
  const MixWorkload& mix = sweep.plan.mix;
  std::string what = other_name(mix.kind);
  if (mix.kind == model::MixKind::mem && mix.pattern != AccessPattern::streaming)
    what = fmt::format("{} {}", access_pattern_name(mix.pattern), what);
  return fmt::format("{}: {} and adds{}", config::shown_name(*sweep.plan.gpu), what,
                     mix.ilp > 1 ? fmt::format(", ILP {}", mix.ilp) : "");
}

std::string other_name(model::MixKind kind) {
  return kind == model::MixKind::mem ? "loads" : kind == model::MixKind::sfu ? "MUFU.RSQ" : "LDS";
}

std::vector<plot::NamedPlot> sweep_plots(const Sweep& sweep) {
  std::vector<plot::NamedPlot> plots;
  plots.push_back({"cusp", cusp_plot(sweep)});
  for (const auto& [alpha, curve] : sweep.simulated())
    plots.push_back({"alpha_" + alpha_name(alpha), throughput_plot(sweep, alpha, curve)});
  plots.push_back({"occupancy", occupancy_plot(sweep)});
  const auto errors = model_errors(sweep);
  for (const std::string against : {kSimulator, kHardware})
    if (std::any_of(errors.begin(), errors.end(),
                    [&](const ErrorRange& error) { return error.against == against && error.model != kSimulator; }))
      plots.push_back({"errors_" + against, error_plot(sweep, errors, against)});
  return plots;
}

}  // namespace sassim::sweep
