// SPDX-License-Identifier: Apache-2.0
// A kernel's metrics in the sections of Nsight Compute: which metric stands where, in whose words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/report/result.h"

namespace sassim::report {

struct SectionEntry {
  std::string_view label, metric;
};
struct Section {
  std::string_view title;
  std::vector<SectionEntry> entries;
};
const std::vector<Section>& sections();

/// One kind of access to one level of the memory. Values that the level does not have are negative.
struct MemoryRow {
  std::string level, access;
  double requests = -1, sectors = -1, hit_rate = -1, bytes = -1, peak = -1;
};
/// Levels in order, each with its sum first; kinds that did not occur are left out.
std::vector<MemoryRow> memory_rows(const stats::MetricSet& metrics);

struct SharedRow {
  std::string access;
  double instructions = 0, passes = 0, conflicts = 0;
};
std::vector<SharedRow> shared_rows(const stats::MetricSet& metrics);

struct Share {
  std::string name;
  double cycles = 0;     ///< of all warps
  double per_issue = 0;  ///< cycles per issued instruction
};
/// Warp states with at least one cycle, the largest first.
std::vector<Share> warp_states(const stats::MetricSet& metrics);
/// Pipes with at least one instruction, the busiest first; `cycles` counts instructions here, `per_issue` percent.
std::vector<Share> instruction_mix(const stats::MetricSet& metrics);

}  // namespace sassim::report
