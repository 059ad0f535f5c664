// SPDX-License-Identifier: Apache-2.0
// Observes a run of a mix (mix_workload.h) and reports its throughput and latencies while every warp is resident.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/sm/common/pipeline_observer.h"
#include "sim/sweep/mix_workload.h"

namespace sassim::sweep {

/// Measured from the time when every warp has passed the loop's first turn until the first warp begins its last turn.
struct SteadyState {
  double from = 0, to = 0;  ///< cycles
  double groups = 0;        ///< repeating groups per cycle and SM
  double first_half = 0;    ///< groups per cycle and SM in the first half of that time
  double second_half = 0;
  double memory_latency =
      0;  ///< mean cycles from a load's issue to the issue of the instruction that needs it; 0 without loads
  double lasting_groups() const;  ///< groups that one warp passes in that time, if all `warps` are equal
  double warps = 0;               ///< mean resident warps per SM
};

struct Timeline {
  std::uint64_t step = 0;          ///< cycles per entry
  std::vector<double> warps, ipc;  ///< resident warps; instructions of the mix per cycle; both per SM
};

class MixObserver : public arch::PipelineObserver {
 public:
  MixObserver(const MixKernel& kernel, std::uint32_t sms, std::uint32_t warps_per_sm);

  void warp_started(const arch::WarpName& name, Cycle at) override;
  void warp_ended(const arch::WarpName& name, Cycle at) override;
  void issued(const arch::WarpName& name, std::uint32_t line, Cycle at, Cycle result) override;

  SteadyState steady_state() const;
  Timeline timeline(std::size_t entries) const;
  /// Mean cycles from a warp's start to its end.
  double warp_latency() const;

 private:
  struct Warp {
    std::uint64_t start = 0, end = 0, executed = 0;
    std::vector<std::uint64_t> groups;     ///< start of each group
    std::uint64_t load[4] = {0, 0, 0, 0};  ///< issue time, plus one, of the load that a chain waits for
  };
  struct Latencies {
    std::uint64_t sum = 0, count = 0;
  };
  static double position(const Warp& warp, double at);
  double passed(double from, double to) const;
  double weighted_rate(double from, double to) const;

  const std::vector<MixLine>& lines_;
  std::uint64_t group_size_;
  std::size_t turn_;  ///< groups of the loop's first turn
  std::uint32_t sms_, warps_per_sm_;
  bool loads_;
  std::vector<Warp> warps_;
  std::vector<std::uint64_t> issues_;  ///< in intervals of kStep cycles
  std::vector<Latencies> latencies_;   ///< by the issue time of the load
};

}  // namespace sassim::sweep
