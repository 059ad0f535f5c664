// SPDX-License-Identifier: Apache-2.0
// Fits the contention model of memory latency (Contention, hardware.h) to measured points, as section 6.4 of Volkov's
// dissertation does. `sassim sweep` fits it to its own points.
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
