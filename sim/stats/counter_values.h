// SPDX-License-Identifier: Apache-2.0
// The values of counters at one moment of a launch. Parts of the GPU add theirs in report().
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sim/stats/counter.h"
#include "sim/stats/metrics.h"

namespace sassim::stats {

class CounterValues {
 public:
  CounterValues() : values_(counter_count()), reported_(counter_count()) {}

  /// Adds the count of one instance.
  void sum(const Count& counter, std::uint64_t value) { at(counter) += static_cast<double>(value); }
  /// Adds to a count that another part has reported; throws std::logic_error if it has not.
  void more(const Count& counter, std::uint64_t value);
  void max(const Largest& counter, double value);
  void min(const Smallest& counter, double value);
  void set(const Derived& counter, double value) { at(counter) = value; }
  /// Sets it to the largest of its parts, which must have been reported.
  void set(const Throughput& counter);

  bool has(Counter counter) const { return counter.index() < reported_.size() && reported_[counter.index()] != 0; }
  /// Throws std::logic_error if nobody has reported it.
  double operator[](Counter counter) const;
  /// Of a count, 0 if nobody has reported it.
  std::uint64_t count(Counter counter) const {
    return has(counter) ? static_cast<std::uint64_t>(values_[counter.index()]) : 0;
  }

  /// Replaces what was reported.
  void replace(const Count& counter, std::uint64_t value) { at(counter) = static_cast<double>(value); }
  /// Adds what was counted from `before` to `after`.
  void add_difference(const CounterValues& before, const CounterValues& after);
  /// Adds `factor` times what `part` counted, rounded.
  void extrapolate(const CounterValues& part, double factor);

  /// What has been reported, by name.
  MetricSet metrics() const;

 private:
  double& at(Counter counter) {
    reported_.at(counter.index()) = 1;
    return values_[counter.index()];
  }

  std::vector<double> values_;
  std::vector<std::uint8_t> reported_;
};

}  // namespace sassim::stats
