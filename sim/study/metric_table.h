// SPDX-License-Identifier: Apache-2.0
// The metrics of one point, of all its kernels together, and what studies work out from them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sassim::study {

struct MetricValue {
  double value = 0;
  bool integral = true;
  std::string unit;
};

/// By name. Of several kernels, sums and cycles are added; everything else (rates, ratios, launch sizes) is the mean,
/// weighted with the kernels' cycles.
using MetricTable = std::map<std::string, MetricValue>;

/// From the result of a "replay" point. Throws InputError starting with `place`.
MetricTable read_metrics(const std::string& result_json, const std::string& place);

/// As CSV and tables show it: whole numbers without a fraction, others so that they read back as the same.
std::string format_value(const MetricValue& value);

/// 0 where a metric is missing.
double value_of(const MetricTable& metrics, const std::string& name);

double cycles_of(const MetricTable& metrics);
/// Of the sectors that the L1s (the L2) were asked for, those found; not a number when there were none.
double l1_hit_rate(const MetricTable& metrics);
double l2_hit_rate(const MetricTable& metrics);
/// The same when sectors that another request was already fetching count as found, as the L1's do.
double l2_hit_rate_with_pending(const MetricTable& metrics);
/// Bytes that SMs and L2 (L2 and DRAM) exchanged, requests and replies with data.
double l2_traffic(const MetricTable& metrics);
double dram_traffic(const MetricTable& metrics);

}  // namespace sassim::study
