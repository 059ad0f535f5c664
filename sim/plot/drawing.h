// SPDX-License-Identifier: Apache-2.0
// Lines, circles and words on a page: what a plot is made of before it is SVG or PNG.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sassim::plot {

struct Place {
  double x = 0, y = 0;  ///< from the upper left
};

using Color = std::uint32_t;  ///< 0xRRGGBB

struct Stroke {
  Color color = 0;
  double width = 1;
  std::vector<double> dash;  ///< on, off, ...; empty: solid
};

struct Polyline {
  std::vector<Place> points;
  bool closed = false;
  std::optional<Stroke> stroke;
  std::optional<Color> fill;
};

struct Circle {
  Place centre;
  double radius = 1;
  std::optional<Stroke> stroke;
  std::optional<Color> fill;
};

enum class Anchor : std::uint8_t { start, middle, end };

struct Words {
  Place at;  ///< on the base line
  std::string text;
  double size = 12;
  Anchor anchor = Anchor::start;
  bool upwards = false;  ///< read from below
  bool bold = false;
  Color color = 0;
};

struct Drawing {
  double width = 0, height = 0;
  std::string title;  ///< for who cannot see it
  std::vector<std::variant<Polyline, Circle, Words>> shapes;
};

/// About what `text` takes in the font that drawings use.
double words_width(std::string_view text, double size);

std::string to_svg(const Drawing& drawing);
std::string to_png(const Drawing& drawing, double scale);

}  // namespace sassim::plot
