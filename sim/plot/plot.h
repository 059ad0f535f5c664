// SPDX-License-Identifier: Apache-2.0
// A plot of series over an axis, as SVG and PNG. The same plot gives the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sassim::plot {

/// How a series is drawn: simulated a solid line with filled markers, hardware hollow markers alone, model a dashed
/// line without markers.
enum class SeriesKind : std::uint8_t { simulated, hardware, model };

struct PlotPoint {
  double x = 0, y = 0;  ///< not finite: the line is broken here
};

struct Series {
  std::string name;  ///< in the legend
  SeriesKind kind = SeriesKind::simulated;
  std::vector<PlotPoint> points;
  /// Series with the same number have the same colour and marker, such as simulator and hardware of one thing; without
  /// it, each series takes the next number that no other series has.
  std::optional<std::size_t> color;
  /// Of a model: series with different numbers, modulo 4, have different dashes; without it, each takes the next one.
  std::optional<std::size_t> dash = {};
};

/// On a logarithmic scale zero is drawn as a place of its own before the first value.
enum class Scale : std::uint8_t { linear, log2, log10 };

struct Axis {
  std::string label, unit;
  Scale scale = Scale::linear;
  std::optional<double> from, to;  ///< otherwise by the points; a linear axis then starts at zero if they allow it
  bool bytes = false;              ///< values are bytes, written as 16 KiB
  /// Values 0, 1, 2, ... are these names, such as those of policies.
  std::vector<std::string> categories;
};

/// A thin line across the plot with a word beside it.
struct Guide {
  double at = 0;
  std::string label;
  bool horizontal = false;
};

struct Plot {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  std::vector<Guide> guides;
  std::string note;  ///< below it: what the curves hold for
};

struct NamedPlot {
  std::string stem;  ///< file name without extension
  Plot plot;
};

std::string plot_svg(const Plot& plot);
/// `scale` pixels for each of the SVG's units.
std::string plot_png(const Plot& plot, double scale = 2);
/// Throws NotSupported where PNG cannot be drawn: before long work.
void check_png();
/// Writes `stem`.svg and `stem`.png, each at once or not at all. Throws InputError.
void write_plot(const std::filesystem::path& stem, const Plot& plot);

}  // namespace sassim::plot
