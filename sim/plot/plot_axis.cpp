// SPDX-License-Identifier: Apache-2.0
// Chooses the range and the ticks of a plot's axis: linear, logarithmic, bytes, or names.
#include "sim/plot/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace sassim::plot {

namespace {

constexpr double kLabels = 6;  // of a linear axis, about

/// The step of 1, 2 or 5 times a power of ten that divides `span` into about kLabels parts.
double nice_step(double span) {
  const double rough = span / kLabels;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double rest = rough / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

int thousands_for(double most) { return most >= 2e9 ? 3 : most >= 2e6 ? 2 : most >= 2e4 ? 1 : 0; }

/// Without "-0".
std::string tick_text(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string bytes_text(double value) {
  if (value == 0) value = 0;  // not the negative one
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

}  // namespace

AxisRange::AxisRange(const Axis& axis, const std::vector<double>& values) : scale_(axis.scale) {
  if (!axis.categories.empty()) {
    categorical(axis);
    return;
  }
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (scale_ != Scale::linear && value <= 0) {
      zero_ = zero_ || value == 0;
      continue;
    }
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (least > most) least = most = 1;
  if (scale_ == Scale::linear)
    linear(axis, least, most, values);
  else
    logarithmic(axis, least, most, values);
}

double AxisRange::scaled(double value) const {
  switch (scale_) {
    case Scale::log2:
      return std::log2(value);
    case Scale::log10:
      return std::log10(value);
    case Scale::linear:
      break;
  }
  return value;
}

double AxisRange::place(double value) const {
  if (scale_ != Scale::linear && value == 0 && zero_) return 0;
  const double part = (scaled(value) - from_) / (to_ - from_);
  return std::isnan(part) || std::isinf(part) ? std::numeric_limits<double>::quiet_NaN()
                                              : zero_room_ + (1 - zero_room_) * part;
}

void AxisRange::categorical(const Axis& axis) {
  scale_ = Scale::linear;
  from_ = -0.5;
  to_ = static_cast<double>(axis.categories.size()) - 0.5;
  for (std::size_t i = 0; i < axis.categories.size(); ++i) add(static_cast<double>(i), axis.categories[i]);
}

void AxisRange::leave_room(const std::vector<double>& values) {
  const double span = to_ - from_, near = 0.004 * span, room = 0.03 * span;
  const auto touches = [&](double end) {
    return std::any_of(values.begin(), values.end(), [&](double v) { return std::abs(scaled(v) - end) < near; });
  };
  const bool low = touches(from_), high = touches(to_);
  if (low) from_ -= room;
  if (high) to_ += room;
}

/// Between multiples of `step`, and before the first and after the last of them.
void AxisRange::minor_ticks(double from, double to, double step, int parts) {
  const double small = step / parts;
  for (double k = std::ceil(from / small - 1e-9); k * small <= to + 1e-9 * step; ++k)
    if (std::abs(std::remainder(k, parts)) > 0.5) add(k * small, "");
}

void AxisRange::linear(const Axis& axis, double least, double most, const std::vector<double>& values) {
  if (least > 0 && least < most / 2) least = 0;
  if (least == most) (most > 0 ? least : most) = 0;
  if (least == most) most = 1;
  const double low = axis.from.value_or(least), high = std::max(axis.to.value_or(most), low + 1e-12 * std::abs(low));
  const double span = high > low ? high - low : 1;
  const double step = axis.bytes ? std::exp2(std::round(std::log2(span / kLabels))) : nice_step(span);
  from_ = axis.from ? low : std::floor(low / step + 1e-9) * step;
  to_ = axis.to && high > low ? high : std::ceil(high / step - 1e-9) * step;
  if (to_ <= from_) to_ = from_ + step;
  const double first = from_, last = to_;
  leave_room(values);
  if (!axis.bytes) thousands_ = thousands_for(std::max(std::abs(from_), std::abs(to_)));
  const double factor = std::pow(1000, thousands_);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step / factor) + 1e-9)));
  for (double k = std::ceil(from_ / step - 1e-9); k * step <= to_ + 1e-9 * step; ++k)
    add(k * step, axis.bytes ? bytes_text(k * step) : tick_text(k * step / factor, decimals));
  // A step of 2 has parts of 0.5, others have fifths; bytes are halved.
  const bool two = std::abs(std::fmod(std::log10(step / 2) + 1e-9, 1.0)) < 1e-6;
  minor_ticks(first, last, step, axis.bytes || two ? 4 : 5);
}

void AxisRange::logarithmic(const Axis& axis, double least, double most, const std::vector<double>& values) {
  from_ = scaled(axis.from.value_or(least));
  to_ = scaled(axis.to.value_or(most));
  const bool decades = scale_ == Scale::log10 && to_ - from_ > 1;
  if (decades && !axis.from) from_ = std::floor(from_ + 1e-9);
  if (decades && !axis.to) to_ = std::ceil(to_ - 1e-9);
  // Room beyond the outermost points where no tick is.
  const double margin = std::max(0.03 * (to_ - from_), to_ > from_ ? 0 : 0.5);
  if (!axis.from && !decades) from_ -= margin;
  if (!axis.to && !decades) to_ += margin;
  leave_room(values);
  if (zero_) zero_room_ = std::clamp(1.0 / (to_ - from_ + 2), 0.06, 0.15);
  if (zero_) ticks_.push_back({0, "0"});
  scale_ == Scale::log2 ? power_of_two_ticks(axis) : decade_ticks();
}

void AxisRange::decade_ticks() {
  const bool many = to_ - from_ > 2.5;
  for (double power = std::floor(from_); power <= to_ + 1e-9; ++power)
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10, power);
      if (scaled(value) < from_ - 1e-9 || scaled(value) > to_ + 1e-9) continue;
      const bool named = digit == 1 || (!many && (digit == 2 || digit == 5));
      add(value, named ? fmt::format("{:.6g}", value) : "");
    }
}

void AxisRange::power_of_two_ticks(const Axis& axis) {
  if (to_ - from_ < 2 && !axis.bytes) return part_of_octave_ticks();
  const double step = std::max(1.0, std::ceil((to_ - from_) / 12));
  for (double power = std::ceil(from_ - 1e-9); power <= to_ + 1e-9; ++power) {
    const double value = std::exp2(power);
    const bool named = std::fmod(power, step) == 0;
    std::string label;
    if (named && axis.bytes)
      label = bytes_text(value);
    else if (named)
      label = power < 0 ? fmt::format("1/{:g}", std::exp2(-power)) : fmt::format("{:.12g}", value);
    add(value, label);
  }
}

/// Few powers of two are on the axis: it gets the ticks of a linear one.
void AxisRange::part_of_octave_ticks() {
  const double low = std::exp2(from_), high = std::exp2(to_), step = nice_step(high - low);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    add(k * step, tick_text(k * step, decimals));
  minor_ticks(low, high, step, 5);
}

}  // namespace sassim::plot
