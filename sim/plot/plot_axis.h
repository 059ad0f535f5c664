// SPDX-License-Identifier: Apache-2.0
// Where the values of a plot's axis are drawn, and which of them are named.
#pragma once

#include <string>
#include <vector>

#include "sim/plot/plot.h"

namespace sassim::plot {

struct Tick {
  double at = 0;      ///< 0 at the axis' start, 1 at its end
  std::string label;  ///< empty: a small tick
};

class AxisRange {
 public:
  /// The range that shows all of `values`, or what the axis says.
  AxisRange(const Axis& axis, const std::vector<double>& values);

  /// The position of a value: 0 at the start of the axis, 1 at its end, below 0 or above 1 outside; not a number if the
  /// scale does not have the value.
  double place(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  /// Zero has a place of its own before this one, where the axis is broken.
  bool broken() const { return zero_; }
  double break_at() const { return zero_room_ / 2; }
  /// The power of a thousand that the labels leave out: 1 when the label 20 means 20,000.
  int thousands() const { return thousands_; }

 private:
  void categorical(const Axis& axis);
  void linear(const Axis& axis, double least, double most, const std::vector<double>& values);
  void logarithmic(const Axis& axis, double least, double most, const std::vector<double>& values);
  void decade_ticks();
  void power_of_two_ticks(const Axis& axis);
  void part_of_octave_ticks();
  /// Room where values lie on an end of the axis: their line would be hidden by the frame.
  void leave_room(const std::vector<double>& scaled_values);
  void minor_ticks(double from, double to, double step, int parts);
  void add(double value, const std::string& label) { ticks_.push_back({place(value), label}); }
  double scaled(double value) const;

  Scale scale_;
  double from_ = 0, to_ = 1;  ///< scaled
  bool zero_ = false;
  double zero_room_ = 0;
  int thousands_ = 0;
  std::vector<Tick> ticks_;
};

}  // namespace sassim::plot
