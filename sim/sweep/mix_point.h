// SPDX-License-Identifier: Apache-2.0
// One point of `sassim sweep`: a mix (mix_workload.h) at one arithmetic intensity and occupancy, simulated until the
// throughput is steady.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/campaign/point.h"
#include "sim/sweep/mix_observer.h"

namespace sassim::sweep {

struct MixPoint {
  MixWorkload workload;         ///< with the number of groups that was needed
  double ipc = 0;               ///< instructions of the mix per cycle and SM
  double adds = 0, others = 0;  ///< each per cycle and SM
  double gbs = 0;               ///< bandwidth that loads request, of the whole GPU
  double group_latency = 0;     ///< mean cycles of one group in one warp
  double memory_latency = 0;    ///< mean cycles from a load's issue to the issue of the instruction that needs it
  double warp_latency = 0;      ///< mean cycles from a warp's start to its end, in the simulated run
  double dram_gbs = 0;          ///< mean DRAM reads over the run
  double spread = 0;            ///< relative difference between the halves of the measured time
  std::uint64_t cycles = 0, warp_instructions = 0;
  Timeline timeline;
};

/// Simulates in this process. Starts with few groups and doubles their number until both halves of the steady time
/// agree.
MixPoint run_mix_point(const config::GpuConfig& gpu, const MixWorkload& workload);

/// Makes a campaign point of the workload; parses its result.
campaign::Point make_mix_point(std::shared_ptr<const config::GpuConfig> gpu, const MixWorkload& workload);
MixPoint mix_point_from_json(const std::string& text);

/// What a page shows of a point, in the names that its result has.
nlohmann::ordered_json measured_json(const MixPoint& point);

}  // namespace sassim::sweep
