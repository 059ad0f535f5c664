// SPDX-License-Identifier: Apache-2.0
// Adds up, resource by resource, how long a warp's instructions occupy an SM, and finds the tightest one.
#include "sim/model/worksheet.h"

#include <algorithm>
#include <stdexcept>

namespace sassim::model {

double Worksheet::Resource::cycles() const {
  double sum = 0;
  for (const Use& use : uses) sum += use.cycles();
  return sum;
}

void Worksheet::add(std::string_view resource, std::string what, double cpi, double instructions) {
  auto found =
      std::find_if(resources_.begin(), resources_.end(), [&](const Resource& r) { return r.name == resource; });
  if (found == resources_.end()) found = resources_.insert(resources_.end(), {std::string(resource), {}});
  found->uses.push_back({std::move(what), cpi, instructions});
}

const Worksheet::Resource* Worksheet::find(std::string_view resource) const {
  for (const Resource& candidate : resources_)
    if (candidate.name == resource) return &candidate;
  return nullptr;
}

const Worksheet::Resource& Worksheet::tightest() const {
  if (resources_.empty()) throw std::logic_error("a worksheet without resources has no bound");
  return *std::max_element(resources_.begin(), resources_.end(),
                           [](const Resource& a, const Resource& b) { return a.cycles() < b.cycles(); });
}

Worksheet throughput_worksheet(const ThroughputLimits& sm, const InstructionCounts& warp) {
  constexpr double kLanes = 32, kWarpBytes = 128;
  Worksheet sheet;
  sheet.add("CUDA cores", "CUDA core instructions", kLanes / sm.cores, warp.core);
  sheet.add("SFU units", "SFU instructions", kLanes / sm.sfus, warp.sfu);
  sheet.add("Shared memory banks", "no conflict access", kLanes / sm.shared_banks, warp.shared);
  sheet.add("Shared memory banks", "2-way conflict", 2 * kLanes / sm.shared_banks, warp.shared_two_way);
  sheet.add("Memory system", "fully coalesced", kWarpBytes / sm.memory_bytes_per_cycle, warp.memory);
  sheet.add("Memory system", "stride-2 access", 2 * kWarpBytes / sm.memory_bytes_per_cycle, warp.memory_stride_two);
  const double issue = 1 / sm.issues_per_cycle;
  sheet.add("Warp scheduler", "single issue", issue, warp.total() - 2 * warp.dual_issues);
  sheet.add("Warp scheduler", "dual-issue", issue, warp.dual_issues);
  sheet.add("Warp scheduler", "reissue", issue, warp.shared_two_way + warp.memory_stride_two);
  return sheet;
}

}  // namespace sassim::model
