// SPDX-License-Identifier: Apache-2.0
// How well the mean of a few samples is known.
#pragma once

#include <cstddef>
#include <vector>

namespace sassim::stats {

/// Student's t for a two-sided 95 % interval with so many degrees of freedom.
double student(std::size_t freedom);

double mean(const std::vector<double>& values);
/// The standard deviation of what the values are samples of. Of two values or more.
double deviation(const std::vector<double>& values);
/// Half of the 95 % interval of the mean, as a part of it; 1 if the mean is 0. Of two values or more.
double half_interval_of(const std::vector<double>& values);

}  // namespace sassim::stats
