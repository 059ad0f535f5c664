// SPDX-License-Identifier: Apache-2.0
// Draws a plot as SVG.
#include <fmt/format.h>

#include "sim/base/markup.h"
#include "sim/plot/drawing.h"

namespace sassim::plot {

namespace {

/// At most two decimals, none that say nothing.
std::string decimal(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string paint(const std::optional<Stroke>& stroke, const std::optional<Color>& fill) {
  std::string text = fill ? fmt::format(" fill=\"#{:06x}\"", *fill) : " fill=\"none\"";
  if (!stroke) return text;
  text += fmt::format(" stroke=\"#{:06x}\" stroke-width=\"{}\"", stroke->color, decimal(stroke->width));
  for (std::size_t i = 0; i < stroke->dash.size(); ++i)
    text += (i == 0 ? " stroke-dasharray=\"" : " ") + decimal(stroke->dash[i]);
  return stroke->dash.empty() ? text : text + "\"";
}

std::string shape(const Polyline& line) {
  std::string points;
  for (const Place& place : line.points)
    points += fmt::format("{}{},{}", points.empty() ? "" : " ", decimal(place.x), decimal(place.y));
  return fmt::format("<{} points=\"{}\"{}/>\n", line.closed ? "polygon" : "polyline", points,
                     paint(line.stroke, line.fill));
}

std::string shape(const Circle& circle) {
  return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", decimal(circle.centre.x), decimal(circle.centre.y),
                     decimal(circle.radius), paint(circle.stroke, circle.fill));
}

std::string shape(const Words& words) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  const std::string x = decimal(words.at.x), y = decimal(words.at.y);
  return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"#{:06x}\"{}{}>{}</text>\n", x,
                     y, decimal(words.size), kAnchors[static_cast<int>(words.anchor)], words.color,
                     words.bold ? " font-weight=\"bold\"" : "",
                     words.upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "", escaped(words.text));
}

}  // namespace

double words_width(std::string_view text, double size) {
  constexpr std::string_view kWide = "mwMW", kNarrow = "ijltf.,' ";
  double width = 0;
  for (const char c : text) {
    if ((c & 0xc0) == 0x80) continue;  // the rest of a character
    width += kWide.find(c) != kWide.npos ? 0.95 : kNarrow.find(c) != kNarrow.npos ? 0.35 : 0.63;
  }
  return width * size;
}

std::string to_svg(const Drawing& drawing) {
  const std::string width = decimal(drawing.width), height = decimal(drawing.height);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\" stroke-linejoin=\"round\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height, escaped(drawing.title));
  for (const auto& any : drawing.shapes) svg += std::visit([](const auto& one) { return shape(one); }, any);
  return svg + "</svg>\n";
}

}  // namespace sassim::plot
