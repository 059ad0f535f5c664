// SPDX-License-Identifier: Apache-2.0
// Estimates what a kernel would gain without each of the causes that may bound it (bound.h), from the counters of one
// run alone. validation/results/causes.md compares these estimates with simulations of the idealised GPUs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/bound_facts.h"

namespace sassim::report {

struct Estimate {
  Cause cause = Cause::unknown;
  double gain = 0;                                        ///< percent of the elapsed cycles
  std::string text;                                       ///< how much, and of what
  std::vector<std::string> evidence;                      ///< names of metrics
  std::vector<std::pair<std::string, double>> derived{};  ///< numbers of the text that are no metric
  std::string_view phrase{};                              ///< instead of the cause's own
};

/// The largest gain first. Gains overlap: what one cause hides is counted again where another one hides it, too.
std::vector<Estimate> estimates(const Facts& facts);

}  // namespace sassim::report
