// SPDX-License-Identifier: Apache-2.0
// Draws a plot as PNG.
#include <cairo.h>
#include <dlfcn.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "sim/base/error.h"
#include "sim/plot/drawing.h"
#include "sim/plot/plot.h"

namespace sassim::plot {

namespace {

constexpr const char* kFont = "DejaVu Sans";

/// The functions of cairo that are used. The library is loaded when the first plot is drawn: with those that it needs,
/// it would take two megabytes of every process.
class Cairo {
  void* const library_ = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);

  template <class Function>
  Function find(const char* name) const {
    void* const found = library_ == nullptr ? nullptr : dlsym(library_, name);
    if (found == nullptr) throw NotSupported("PNG: {}; install cairo (Debian: libcairo2)", dlerror());
    return reinterpret_cast<Function>(found);
  }

 public:
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member
#define SASSIM_CAIRO(name) decltype(&::cairo_##name) name = find<decltype(&::cairo_##name)>("cairo_" #name)
  SASSIM_CAIRO(arc);
  SASSIM_CAIRO(close_path);
  SASSIM_CAIRO(create);
  SASSIM_CAIRO(destroy);
  SASSIM_CAIRO(fill_preserve);
  SASSIM_CAIRO(image_surface_create);
  SASSIM_CAIRO(line_to);
  SASSIM_CAIRO(move_to);
  SASSIM_CAIRO(new_path);
  SASSIM_CAIRO(paint);
  SASSIM_CAIRO(restore);
  SASSIM_CAIRO(rotate);
  SASSIM_CAIRO(save);
  SASSIM_CAIRO(scale);
  SASSIM_CAIRO(select_font_face);
  SASSIM_CAIRO(set_dash);
  SASSIM_CAIRO(set_font_size);
  SASSIM_CAIRO(set_line_join);
  SASSIM_CAIRO(set_line_width);
  SASSIM_CAIRO(set_source_rgb);
  SASSIM_CAIRO(show_text);
  SASSIM_CAIRO(status);
  SASSIM_CAIRO(status_to_string);
  SASSIM_CAIRO(stroke_preserve);
  SASSIM_CAIRO(surface_destroy);
  SASSIM_CAIRO(surface_write_to_png_stream);
  SASSIM_CAIRO(text_extents);
  SASSIM_CAIRO(translate);
#undef SASSIM_CAIRO
};

const Cairo& cairo() {
  static const Cairo loaded;
  return loaded;
}

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo().surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo().destroy(context); }
};

void set_color(cairo_t* cr, Color color) {
  cairo().set_source_rgb(cr, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
}

/// Paints the current path and forgets it.
void paint(cairo_t* cr, const std::optional<Stroke>& stroke, const std::optional<Color>& fill) {
  if (fill) {
    set_color(cr, *fill);
    cairo().fill_preserve(cr);
  }
  if (stroke) {
    set_color(cr, stroke->color);
    cairo().set_line_width(cr, stroke->width);
    cairo().set_dash(cr, stroke->dash.data(), static_cast<int>(stroke->dash.size()), 0);
    cairo().stroke_preserve(cr);
  }
  cairo().new_path(cr);
}

void draw(cairo_t* cr, const Polyline& line) {
  for (const Place& place : line.points) cairo().line_to(cr, place.x, place.y);
  if (line.closed) cairo().close_path(cr);
  paint(cr, line.stroke, line.fill);
}

void draw(cairo_t* cr, const Circle& circle) {
  cairo().arc(cr, circle.centre.x, circle.centre.y, circle.radius, 0, 2 * std::numbers::pi);
  paint(cr, circle.stroke, circle.fill);
}

void draw(cairo_t* cr, const Words& words) {
  cairo().save(cr);
  cairo().select_font_face(cr, kFont, CAIRO_FONT_SLANT_NORMAL,
                           words.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo().set_font_size(cr, words.size);
  cairo_text_extents_t extents;
  cairo().text_extents(cr, words.text.c_str(), &extents);
  const double back = words.anchor == Anchor::start ? 0 : extents.x_advance / (words.anchor == Anchor::end ? 1 : 2);
  cairo().translate(cr, words.at.x, words.at.y);
  if (words.upwards) cairo().rotate(cr, -std::numbers::pi / 2);
  cairo().move_to(cr, -back, 0);
  set_color(cr, words.color);
  cairo().show_text(cr, words.text.c_str());
  cairo().restore(cr);
  cairo().new_path(cr);  // text leaves a point behind that the next line would start from
}

cairo_status_t append(void* out, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

void check_png() { cairo(); }

std::string to_png(const Drawing& drawing, double scale) {
  const std::unique_ptr<cairo_surface_t, Destroy> surface(
      cairo().image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(drawing.width * scale)),
                                   static_cast<int>(std::lround(drawing.height * scale))));
  const std::unique_ptr<cairo_t, Destroy> context(cairo().create(surface.get()));
  cairo_t* cr = context.get();
  cairo().scale(cr, scale, scale);
  set_color(cr, 0xffffff);
  cairo().paint(cr);
  cairo().set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (const auto& any : drawing.shapes) std::visit([cr](const auto& one) { draw(cr, one); }, any);
  std::string png;
  cairo_status_t status = cairo().status(cr);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo().surface_write_to_png_stream(surface.get(), append, &png);
  if (status != CAIRO_STATUS_SUCCESS) throw std::runtime_error(cairo().status_to_string(status));
  return png;
}

}  // namespace sassim::plot
