// SPDX-License-Identifier: Apache-2.0
// Draws a plot as PNG.
#include <cairo.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "sim/plot/drawing.h"

namespace sassim::plot {

namespace {

constexpr const char* kFont = "DejaVu Sans";

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

void set_color(cairo_t* cr, Color color) {
  cairo_set_source_rgb(cr, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
}

/// Paints the current path and forgets it.
void paint(cairo_t* cr, const std::optional<Stroke>& stroke, const std::optional<Color>& fill) {
  if (fill) {
    set_color(cr, *fill);
    cairo_fill_preserve(cr);
  }
  if (stroke) {
    set_color(cr, stroke->color);
    cairo_set_line_width(cr, stroke->width);
    cairo_set_dash(cr, stroke->dash.data(), static_cast<int>(stroke->dash.size()), 0);
    cairo_stroke_preserve(cr);
  }
  cairo_new_path(cr);
}

void draw(cairo_t* cr, const Polyline& line) {
  for (const Place& place : line.points) cairo_line_to(cr, place.x, place.y);
  if (line.closed) cairo_close_path(cr);
  paint(cr, line.stroke, line.fill);
}

void draw(cairo_t* cr, const Circle& circle) {
  cairo_arc(cr, circle.centre.x, circle.centre.y, circle.radius, 0, 2 * std::numbers::pi);
  paint(cr, circle.stroke, circle.fill);
}

void draw(cairo_t* cr, const Words& words) {
  cairo_save(cr);
  cairo_select_font_face(cr, kFont, CAIRO_FONT_SLANT_NORMAL,
                         words.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, words.size);
  cairo_text_extents_t extents;
  cairo_text_extents(cr, words.text.c_str(), &extents);
  const double back = words.anchor == Anchor::start ? 0 : extents.x_advance / (words.anchor == Anchor::end ? 1 : 2);
  cairo_translate(cr, words.at.x, words.at.y);
  if (words.upwards) cairo_rotate(cr, -std::numbers::pi / 2);
  cairo_move_to(cr, -back, 0);
  set_color(cr, words.color);
  cairo_show_text(cr, words.text.c_str());
  cairo_restore(cr);
  cairo_new_path(cr);  // text leaves a point behind that the next line would start from
}

cairo_status_t append(void* out, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string to_png(const Drawing& drawing, double scale) {
  const std::unique_ptr<cairo_surface_t, Destroy> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(drawing.width * scale)),
                                 static_cast<int>(std::lround(drawing.height * scale))));
  const std::unique_ptr<cairo_t, Destroy> context(cairo_create(surface.get()));
  cairo_t* cr = context.get();
  cairo_scale(cr, scale, scale);
  set_color(cr, 0xffffff);
  cairo_paint(cr);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (const auto& any : drawing.shapes) std::visit([cr](const auto& one) { draw(cr, one); }, any);
  std::string png;
  cairo_status_t status = cairo_status(cr);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png_stream(surface.get(), append, &png);
  if (status != CAIRO_STATUS_SUCCESS) throw std::runtime_error(cairo_status_to_string(status));
  return png;
}

}  // namespace sassim::plot
