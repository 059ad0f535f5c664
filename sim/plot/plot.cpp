// SPDX-License-Identifier: Apache-2.0
// Lays out axes, curves, markers and legend of a plot for drawing_svg.cpp and drawing_png.cpp.
#include "sim/plot/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "sim/base/durable_file.h"
#include "sim/plot/drawing.h"
#include "sim/plot/plot_axis.h"

namespace sassim::plot {

namespace {

// Okabe and Ito's palette for all kinds of colour vision ("Color Universal Design", 2008), less its yellow, which is
// hard to see on white.
constexpr std::array<Color, 7> kPalette{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000};
const std::array<std::vector<double>, 4> kDashes{{{7, 3}, {2, 2}, {7, 2, 2, 2}, {12, 3}}};
// Circle, square, triangle, diamond, triangle on its tip: corners, and the first one's angle in turns.
constexpr std::array<std::pair<int, double>, 5> kCorners{{{0, 0}, {4, 0.125}, {3, 0.25}, {4, 0}, {3, 0.75}}};

constexpr double kFrameWidth = 460, kFrameHeight = 300, kTop = 34, kBottom = 52, kRight = 18;
constexpr double kNote = 18;  ///< height
constexpr double kText = 12, kSmall = 11, kMarker = 3.6, kLegendLine = 18, kLegendSample = 30;
constexpr Color kInk = 0x222222, kGrid = 0xe4e4e4, kPale = 0x777777;

struct Look {
  Color color = 0;
  std::size_t marker = 0;
  std::vector<double> dash;
};

std::vector<Look> looks(const Plot& plot) {
  std::set<std::size_t> taken;
  for (const Series& series : plot.series)
    if (series.color) taken.insert(*series.color);
  std::vector<Look> all;
  std::size_t next = 0, models = 0;
  for (const Series& series : plot.series) {
    while (!series.color && taken.contains(next)) ++next;
    const std::size_t style = series.color ? *series.color : next++;
    Look look{kPalette[style % kPalette.size()], style % kCorners.size(), {}};
    if (series.kind == SeriesKind::model) look.dash = kDashes[series.dash.value_or(models++) % kDashes.size()];
    all.push_back(std::move(look));
  }
  return all;
}

std::vector<double> values(const Plot& plot, bool x) {
  std::vector<double> all;
  for (const Series& series : plot.series)
    for (const PlotPoint& point : series.points) all.push_back(x ? point.x : point.y);
  for (const Guide& guide : plot.guides)
    if (guide.horizontal != x) all.push_back(guide.at);
  return all;
}

/// "Throughput (GB/s)", "Time (million cycles)".
std::string axis_title(const Axis& axis, const AxisRange& range) {
  if (axis.bytes) return axis.label;
  std::string unit = axis.unit;
  if (range.thousands() > 0) {
    constexpr std::array<const char*, 4> kWords{"", "thousand", "million", "billion"};
    unit = kWords.at(static_cast<std::size_t>(range.thousands())) + (unit.empty() ? "" : " " + unit);
  }
  return unit.empty() ? axis.label : fmt::format("{} ({})", axis.label, unit);
}

class Layout {
 public:
  explicit Layout(const Plot& plot)
      : plot_(plot), x_(plot.x, values(plot, true)), y_(plot.y, values(plot, false)), looks_(looks(plot)) {
    double widest = 0;
    for (const Tick& tick : y_.ticks()) widest = std::max(widest, words_width(tick.label, kSmall));
    left_ = 34 + widest;
    double legend = 0;
    for (const Series& series : plot.series) legend = std::max(legend, words_width(series.name, kSmall));
    has_legend_ = plot.series.size() > 1 || legend > 0;
    drawing_.width = left_ + kFrameWidth + kRight + (has_legend_ ? legend + kLegendSample + 14 : 0);
    drawing_.height = std::max(kTop + kFrameHeight + kBottom + (plot.note.empty() ? 0 : kNote),
                               kTop + 12 + kLegendLine * static_cast<double>(plot.series.size()) + 12);
    drawing_.title = plot.title;
  }

  Drawing draw() {
    draw_axes();
    draw_guides();
    // What is measured lies over what is computed, and hollow markers over lines.
    for (const SeriesKind kind : {SeriesKind::model, SeriesKind::simulated, SeriesKind::hardware})
      for (std::size_t i = 0; i < plot_.series.size(); ++i)
        if (plot_.series[i].kind == kind) draw_series(plot_.series[i], looks_[i]);
    if (has_legend_) draw_legend();
    return std::move(drawing_);
  }

 private:
  double across(double part) const { return left_ + part * kFrameWidth; }
  double down(double part) const { return kTop + (1 - part) * kFrameHeight; }

  void line(Place from, Place to, Color color, double width, std::vector<double> dash = {}) {
    drawing_.shapes.push_back(Polyline{{from, to}, false, Stroke{color, width, std::move(dash)}, std::nullopt});
  }
  void words(Place at, std::string text, double size, Anchor anchor, bool upwards = false, bool bold = false,
             Color color = kInk) {
    drawing_.shapes.push_back(Words{at, std::move(text), size, anchor, upwards, bold, color});
  }

  void draw_axes() {
    for (const Tick& tick : x_.ticks())
      if (!tick.label.empty()) line({across(tick.at), down(0)}, {across(tick.at), down(1)}, kGrid, 0.8);
    for (const Tick& tick : y_.ticks())
      if (!tick.label.empty()) line({across(0), down(tick.at)}, {across(1), down(tick.at)}, kGrid, 0.8);
    drawing_.shapes.push_back(
        Polyline{{{across(0), down(0)}, {across(1), down(0)}, {across(1), down(1)}, {across(0), down(1)}},
                 true,
                 Stroke{kInk, 1, {}},
                 std::nullopt});
    draw_x_ticks();
    for (const Tick& tick : y_.ticks()) {
      const double y = down(tick.at), length = tick.label.empty() ? 3 : 5;
      line({across(0), y}, {across(0) + length, y}, kInk, 1);
      if (!tick.label.empty()) words({across(0) - 5, y + 4}, tick.label, kSmall, Anchor::end);
    }
    if (x_.broken()) draw_break();
    words({across(0.5), down(0) + 38}, axis_title(plot_.x, x_), kText, Anchor::middle);
    if (!plot_.note.empty())
      words({across(0), down(0) + 38 + kNote}, plot_.note, kSmall, Anchor::start, false, false, kPale);
    words({16, down(0.5)}, axis_title(plot_.y, y_), kText, Anchor::middle, true);
    words({across(0), kTop - 13}, plot_.title, kText + 1, Anchor::start, false, true);
  }

  void draw_x_ticks() {
    double free_from = -1e9;
    for (const Tick& tick : x_.ticks()) {
      const double x = across(tick.at), length = tick.label.empty() ? 3 : 5;
      line({x, down(0)}, {x, down(0) - length}, kInk, 1);
      const double half = words_width(tick.label, kSmall) / 2;
      if (tick.label.empty() || x - half < free_from) continue;
      words({x, down(0) + 16}, tick.label, kSmall, Anchor::middle);
      free_from = x + half + 4;
    }
  }

  /// Two strokes through the axis, between zero and the first value.
  void draw_break() {
    const double x = across(x_.break_at()), y = down(0);
    drawing_.shapes.push_back(
        Polyline{{{x - 5, y + 4}, {x - 1, y - 4}, {x + 5, y - 4}, {x + 1, y + 4}}, true, std::nullopt, 0xffffff});
    line({x - 5, y + 4}, {x - 1, y - 4}, kInk, 1);
    line({x + 1, y + 4}, {x + 5, y - 4}, kInk, 1);
  }

  void draw_guides() {
    for (const Guide& guide : plot_.guides) {
      const double part = (guide.horizontal ? y_ : x_).place(guide.at);
      if (!(part >= 0 && part <= 1)) continue;
      if (guide.horizontal) {
        line({across(0), down(part)}, {across(1), down(part)}, kPale, 1, {4, 3});
        words({across(1) - 5, down(part) - 4}, guide.label, kSmall, Anchor::end, false, false, kPale);
      } else {
        line({across(part), down(0)}, {across(part), down(1)}, kPale, 1, {4, 3});
        const bool left = part > 0.6;
        words({across(part) + (left ? -4 : 4), down(1) + 13}, guide.label, kSmall, left ? Anchor::end : Anchor::start,
              false, false, kPale);
      }
    }
  }

  void draw_series(const Series& series, const Look& look) {
    std::vector<Place> places;  // parts of the frame
    for (const PlotPoint& point : series.points) places.push_back({x_.place(point.x), y_.place(point.y)});
    if (series.kind != SeriesKind::hardware)
      for (std::size_t i = 1; i < places.size();) i = draw_run(places, i, series, look);
    if (series.kind == SeriesKind::model) return;
    for (const Place& place : places)
      if (place.x >= 0 && place.x <= 1 && place.y >= 0 && place.y <= 1)
        marker({across(place.x), down(place.y)}, series.kind, look);
  }

  /// Cuts the segment to the frame; false when nothing of it is inside (Liang and Barsky).
  static bool cut(Place& a, Place& b) {
    const double dx = b.x - a.x, dy = b.y - a.y;
    double begin = 0, end = 1;
    for (const auto& [step, room] : {std::pair{-dx, a.x}, {dx, 1 - a.x}, {-dy, a.y}, {dy, 1 - a.y}}) {
      if (!(std::isfinite(step) && std::isfinite(room)) || (step == 0 && room < 0)) return false;
      if (step < 0) begin = std::max(begin, room / step);
      if (step > 0) end = std::min(end, room / step);
    }
    if (begin > end) return false;
    b = {a.x + end * dx, a.y + end * dy};
    a = {a.x + begin * dx, a.y + begin * dy};
    return true;
  }

  /// Draws from the segment that ends at place `i` as far as the line is in one piece; returns where to go on.
  std::size_t draw_run(const std::vector<Place>& places, std::size_t i, const Series& series, const Look& look) {
    Polyline run;
    run.stroke = Stroke{look.color, series.kind == SeriesKind::model ? 1.5 : 1.8, look.dash};
    for (; i < places.size(); ++i) {
      Place a = places[i - 1], b = places[i];
      if (!cut(a, b)) break;
      if (run.points.empty()) run.points.push_back({across(a.x), down(a.y)});
      run.points.push_back({across(b.x), down(b.y)});
      if (b.x != places[i].x || b.y != places[i].y) break;
    }
    if (!run.points.empty()) drawing_.shapes.push_back(std::move(run));
    return i + 1;
  }

  void marker(Place at, SeriesKind kind, const Look& look) {
    const bool hollow = kind == SeriesKind::hardware;
    const double size = hollow ? kMarker + 0.9 : kMarker;
    const Stroke stroke{look.color, hollow ? 1.5 : 0.8, {}};
    const Color fill = hollow ? 0xffffff : look.color;
    if (look.marker == 0) {
      drawing_.shapes.push_back(Circle{at, size, stroke, fill});
      return;
    }
    const auto [corners, first] = kCorners[look.marker];
    Polyline shape{{}, true, stroke, fill};
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * std::numbers::pi * (static_cast<double>(i) / corners + first);
      shape.points.push_back({at.x + 1.25 * size * std::cos(angle), at.y - 1.25 * size * std::sin(angle)});
    }
    drawing_.shapes.push_back(std::move(shape));
  }

  void draw_legend() {
    const double x = across(1) + 14;
    double y = kTop + 8;
    for (std::size_t i = 0; i < plot_.series.size(); ++i, y += kLegendLine) {
      const Series& series = plot_.series[i];
      if (series.kind != SeriesKind::hardware)
        line({x, y}, {x + kLegendSample - 6, y}, looks_[i].color, series.kind == SeriesKind::model ? 1.5 : 1.8,
             looks_[i].dash);
      if (series.kind != SeriesKind::model) marker({x + (kLegendSample - 6) / 2, y}, series.kind, looks_[i]);
      words({x + kLegendSample, y + 4}, series.name, kSmall, Anchor::start);
    }
  }

  const Plot& plot_;
  AxisRange x_, y_;
  std::vector<Look> looks_;
  double left_ = 0;
  bool has_legend_ = false;
  Drawing drawing_;
};

}  // namespace

std::string plot_svg(const Plot& plot) { return to_svg(Layout(plot).draw()); }

std::string plot_png(const Plot& plot, double scale) { return to_png(Layout(plot).draw(), scale); }

void write_plot(const std::filesystem::path& stem, const Plot& plot) {
  const Drawing drawing = Layout(plot).draw();
  write_durably(stem.string() + ".svg", to_svg(drawing));
  write_durably(stem.string() + ".png", to_png(drawing, 2));
}

}  // namespace sassim::plot
