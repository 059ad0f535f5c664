// SPDX-License-Identifier: Apache-2.0
// Fits the contention model of memory latency to measured points (Volkov, section 6.4).
#pragma once

#include <span>

#include "sim/model/hardware.h"

namespace sassim::model {

struct LatencySample {
  double gbs = 0;      ///< attained throughput of the whole GPU
  double latency = 0;  ///< mean latency in cycles
};

/// Minimises the squared relative errors: a search over c, and for each c the best a and b. Throws InputError for fewer
/// than three points.
Contention fit_contention(std::span<const LatencySample> samples);

}  // namespace sassim::model
