// SPDX-License-Identifier: Apache-2.0
// Finds the three coefficients of memory latency over throughput that fit a sweep's points best.
#include "sim/model/contention_fit.h"

#include <algorithm>
#include <limits>

#include "sim/base/error.h"

namespace sassim::model {

namespace {

/// The best a and b for a given c, and their sum of squared relative errors.
struct Line {
  Contention fit;
  double error = 0;
};

Line line(std::span<const LatencySample> samples, double c) {
  double one = 0, x = 0, xx = 0, y = 0, xy = 0;
  for (const LatencySample& sample : samples) {
    const double weight = 1 / (sample.latency * sample.latency);
    const double load = sample.gbs / (c - sample.gbs);
    one += weight;
    x += weight * load;
    xx += weight * load * load;
    y += weight * sample.latency;
    xy += weight * load * sample.latency;
  }
  const double determinant = one * xx - x * x;
  const double b = determinant > 0 ? std::max(0.0, (one * xy - x * y) / determinant) : 0;
  Line best{{(y - b * x) / one, b, c}, 0};
  for (const LatencySample& sample : samples) {
    const double latency = best.fit.a + b * sample.gbs / (c - sample.gbs);
    const double relative = latency / sample.latency - 1;
    best.error += relative * relative;
  }
  return best;
}

}  // namespace

Contention fit_contention(std::span<const LatencySample> samples) {
  if (samples.size() < 3) throw InputError("a contention fit needs at least three points, not {}", samples.size());
  double peak = 0;
  for (const LatencySample& sample : samples) peak = std::max(peak, sample.gbs);
  Line best{{}, std::numeric_limits<double>::infinity()};
  // The asymptote is above the best measured throughput; above twice that value the curve is a straight line.
  constexpr int kSteps = 2000;
  for (int i = 1; i <= kSteps; ++i) {
    const Line candidate = line(samples, peak * (1 + static_cast<double>(i) / kSteps));
    if (candidate.error < best.error) best = candidate;
  }
  return best.fit;
}

}  // namespace sassim::model
