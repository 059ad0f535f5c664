// SPDX-License-Identifier: Apache-2.0
#include "sim/stats/counter_values.h"

#include <fmt/format.h>

#include <algorithm>

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

MetricSet CounterValues::metrics() const {
  MetricSet all;
  for (const Counter counter : counters())
    if (has(counter)) all.add(counter.row(), values_[counter.index()]);
  return all;
}

}  // namespace sassim::stats
