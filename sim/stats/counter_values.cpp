// SPDX-License-Identifier: Apache-2.0
// Adds up the counts of all parts of the GPU in a launch; scales those of a sampled one.
#include "sim/stats/counter_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sassim::stats {

void CounterValues::more(const Count& counter, std::uint64_t value) {
  if (!has(counter)) throw std::logic_error(fmt::format("counter '{}' has not been reported", counter.row().name));
  at(counter) += static_cast<double>(value);
}

void CounterValues::max(const Largest& counter, double value) {
  double& largest = at(counter);
  largest = std::max(largest, value);
}

void CounterValues::min(const Smallest& counter, double value) {
  const bool known = has(counter);
  double& smallest = at(counter);
  smallest = known ? std::min(smallest, value) : value;
}

void CounterValues::set(const Throughput& counter) {
  const std::vector<std::string>& parts = counter.row().parts;
  double most = (*this)[find_counter(parts.front())];
  for (const std::string& part : parts) most = std::max(most, (*this)[find_counter(part)]);
  at(counter) = most;
}

double CounterValues::operator[](Counter counter) const {
  if (!has(counter)) throw std::logic_error(fmt::format("counter '{}' has not been reported", counter.row().name));
  return values_[counter.index()];
}

void CounterValues::add_difference(const CounterValues& before, const CounterValues& after) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (after.reported_[i] == 0) continue;
    reported_[i] = 1;
    values_[i] += after.values_[i] - before.values_[i];
  }
}

void CounterValues::extrapolate(const CounterValues& part, double factor) {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (part.reported_[i] != 0) values_[i] += std::round(factor * part.values_[i]);
}

MetricSet CounterValues::metrics() const {
  MetricSet all;
  for (const Counter counter : counters())
    if (has(counter)) all.add(counter.row(), values_[counter.index()]);
  return all;
}

}  // namespace sassim::stats
