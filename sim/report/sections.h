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

/// A part of a throughput, which is the largest of its parts: issue, a pipe, a stage of a cache.
struct Part {
  std::string label, metric;
  double value = 0;  ///< percent of the peak
};
/// The parts of which the throughput is the largest, the busiest first; empty: the metric has no parts.
std::vector<Part> parts_of(const stats::MetricSet& metrics, std::string_view throughput);

/// A resource of an SM that limits how many thread blocks fit.
struct OccupancyLimit {
  std::string_view resource;  ///< "registers"
  std::string_view metric;
};
/// The resources that leave no room for one more block; empty: the metrics do not say.
std::vector<OccupancyLimit> occupancy_limiters(const stats::MetricSet& metrics);

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
  double ways = 0;  ///< passes over those without conflicts
};
/// What the column "n-way" says.
inline constexpr std::string_view kWaysMeaning =
    "n-way: passes of the accesses over the passes that they need without bank conflicts; 1.00: no conflict";
std::vector<SharedRow> shared_rows(const stats::MetricSet& metrics);

struct Share {
  std::string name;
  double cycles = 0;     ///< of all warps
  double per_issue = 0;  ///< cycles per issued instruction
};
/// Warp states with at least one cycle, the largest first.
std::vector<Share> warp_states(const stats::MetricSet& metrics);
struct PipeUse {
  std::string name;
  double instructions = 0;
  double of_peak = -1;  ///< percent; below 0: no peak is counted for this pipe
};
/// Pipes with at least one instruction, the busiest first.
std::vector<PipeUse> instruction_mix(const stats::MetricSet& metrics);

}  // namespace sassim::report
