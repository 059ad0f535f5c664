// SPDX-License-Identifier: Apache-2.0
#include "sim/stats/interval.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace sassim::stats {

double student(std::size_t freedom) {
  constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                               2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  return kTable[std::min(freedom, std::size(kTable)) - 1];
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double half_interval_of(const std::vector<double>& values) {
  const double middle = mean(values);
  if (middle == 0) return 1;
  return student(values.size() - 1) * deviation(values) / std::sqrt(static_cast<double>(values.size())) / middle;
}

}  // namespace sassim::stats
