// SPDX-License-Identifier: Apache-2.0
// Metrics of Nsight Compute that sassim does not have.
#pragma once

#include <string_view>
#include <vector>

namespace sassim::stats {

struct MissingMetric {
  std::string_view name;
  std::string_view why;
};

/// Those of a profile with `--set full` of an H200, by name.
const std::vector<MissingMetric>& missing_metrics();

}  // namespace sassim::stats
