// SPDX-License-Identifier: Apache-2.0
// Metrics of Nsight Compute that sassim lacks.
#pragma once

#include <string_view>
#include <vector>

namespace sassim::stats {

struct MissingMetric {
  std::string_view name;
  std::string_view why;
};

/// The missing metrics of an H200 profile with `--set full`, its breakdowns included, by name.
const std::vector<MissingMetric>& missing_metrics();

}  // namespace sassim::stats
