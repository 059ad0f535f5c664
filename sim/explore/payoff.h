// SPDX-License-Identifier: Apache-2.0
// Finds where more of a resource stops helping, for the report of `sassim explore`: the smallest value with which the
// workload takes at most 2 % more cycles than with the best value, all other keys being equal.
#pragma once

#include <string>
#include <vector>

#include "sim/explore/explore.h"

namespace sassim::explore {

inline constexpr double kWorthwhile = 0.02;

struct Payoff {
  std::size_t axis = 0;
  std::string others;  ///< the values of the other axes; empty if there are none
  std::string value, best, smallest, largest;
  double cycles = 0, best_cycles = 0, worst_cycles = 0;
  bool to_the_end() const { return value == largest; }  ///< more still helps at the largest value tried
};

/// One entry for each numeric axis and each setting of the other axes. Zipped axes have one entry, for the first
/// numeric one. An entry needs at least two finished values.
std::vector<Payoff> payoffs(const Explored& explored);

/// One sentence per axis; if settings differ, how many agree and the largest value.
std::vector<std::string> payoff_text(const Explored& explored);

}  // namespace sassim::explore
