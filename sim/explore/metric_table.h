// SPDX-License-Identifier: Apache-2.0
// The metrics of one simulation over all its kernels, and values that studies derive from them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sassim::explore {

struct MetricValue {
  double value = 0;
  bool integral = true;
  std::string unit;
};

using MetricTable = std::map<std::string, MetricValue>;  ///< by name

struct KernelMetrics {
  std::string name;
  MetricTable metrics;
};

/// Reads the kernels of a "replay" point's result. Throws InputError that begins with `place`.
std::vector<KernelMetrics> read_metrics(const std::string& result_json, const std::string& place);

/// The metrics of all kernels together: what can be added, and of a single kernel everything. A rate of several kernels
/// is not there: no mean of rates is the rate of the whole.
MetricTable total_of(const std::vector<KernelMetrics>& kernels);

/// Formats a value for CSV and tables: whole numbers without a fraction, others with digits that read back as the same
/// value.
std::string format_value(const MetricValue& value);

/// The value of a metric; 0 if it is missing.
double value_of(const MetricTable& metrics, const std::string& name);

double cycles_of(const MetricTable& metrics);
/// Found sectors over requested sectors, of all L1s or of the L2; a sector that is in flight is found. NaN if none were
/// requested.
double l1_hit_rate(const MetricTable& metrics);
double l2_hit_rate(const MetricTable& metrics);
/// Bytes exchanged between SMs and L2, or between L2 and DRAM: requests and replies with data.
double l2_traffic(const MetricTable& metrics);
double dram_traffic(const MetricTable& metrics);

}  // namespace sassim::explore
