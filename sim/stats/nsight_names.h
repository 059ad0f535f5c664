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

/// The metrics that a profile of Nsight Compute with `--set full` has and the model lacks, its breakdowns included, by
/// name.
const std::vector<MissingMetric>& missing_metrics();

}  // namespace sassim::stats
