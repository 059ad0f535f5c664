// SPDX-License-Identifier: Apache-2.0
// One point of a sweep: a mix at one arithmetic intensity and occupancy, simulated until its throughput is steady.
#pragma once

#include <memory>
#include <string>

#include "sim/study/mix_observer.h"
#include "sim/study/point.h"

namespace sassim::study {

struct MixPoint {
  MixWorkload workload;         ///< with the number of groups that it took
  double ipc = 0;               ///< adds and others per cycle and SM
  double adds = 0, others = 0;  ///< instructions per cycle and SM
  double gbs = 0;               ///< that loads ask for, of the whole GPU
  double group_latency = 0;     ///< mean cycles that a warp takes for a group
  double memory_latency = 0;    ///< mean cycles from a load's issue to that of what needs it
  double warp_latency = 0;      ///< mean cycles from a warp's start to its end, in the run that was simulated
  double dram_gbs = 0;          ///< read, mean over the run
  double spread = 0;            ///< relative difference of the two halves of the time that was measured
  std::uint64_t cycles = 0, warp_instructions = 0;
  Timeline timeline;
};

/// Simulates in this process. Starts with few groups and doubles them until both halves of the steady time agree.
MixPoint run_mix_point(const config::GpuConfig& gpu, const MixWorkload& workload);

/// As a point of a campaign, and what came of it.
Point make_mix_point(std::shared_ptr<const config::GpuConfig> gpu, const MixWorkload& workload);
MixPoint mix_point_from_json(const std::string& text);

}  // namespace sassim::study
