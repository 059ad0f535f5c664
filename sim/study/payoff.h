// SPDX-License-Identifier: Apache-2.0
// Where a resource stops paying: the smallest value with which the workload takes at most 2 % more cycles than with the
// best value tried, everything else being equal.
#pragma once

#include <string>
#include <vector>

#include "sim/study/explore.h"

namespace sassim::study {

inline constexpr double kWorthwhile = 0.02;

struct Payoff {
  std::size_t axis = 0;
  std::string others;  ///< the values of the other axes; empty when there are none
  std::string value, best, smallest, largest;
  double cycles = 0, best_cycles = 0, worst_cycles = 0;
  bool to_the_end() const { return value == largest; }  ///< pays up to the largest tried
};

/// One for each axis of numbers and each setting of the others; of zipped axes, for the first of numbers. Where fewer
/// than two values ran there is nothing to say.
std::vector<Payoff> payoffs(const Explored& explored);

/// A sentence per axis; where settings differ, how many agree and the largest.
std::vector<std::string> payoff_text(const Explored& explored);

}  // namespace sassim::study
