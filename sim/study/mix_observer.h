// SPDX-License-Identifier: Apache-2.0
// Watches a mix run, and says what its throughput and latencies are while every warp is there.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/sm/pipeline_observer.h"
#include "sim/study/mix_workload.h"

namespace sassim::study {

/// What is measured from when every warp has passed the loop's first turn until the first warp begins its last one.
struct SteadyState {
  double from = 0, to = 0;  ///< cycles
  double groups = 0;        ///< repeating groups per cycle and SM
  double first_half = 0;    ///< the same in the first half of that time
  double second_half = 0;
  double memory_latency = 0;      ///< mean cycles from a load's issue to that of what needs it; 0 without loads
  double lasting_groups() const;  ///< that one warp passes through in that time, of `warps` equal ones
  double warps = 0;               ///< resident, mean per SM
};

struct Timeline {
  std::uint64_t step = 0;          ///< cycles per entry
  std::vector<double> warps, ipc;  ///< resident, and adds and others per cycle; per SM
};

class MixObserver : public arch::PipelineObserver {
 public:
  MixObserver(const MixKernel& kernel, std::uint32_t sms, std::uint32_t warps_per_sm);

  void warp_started(const arch::WarpName& name, Cycle at) override;
  void warp_ended(const arch::WarpName& name, Cycle at) override;
  void issued(const arch::WarpName& name, std::uint32_t line, Cycle at, Cycle result) override;

  SteadyState steady_state() const;
  Timeline timeline(std::size_t entries) const;
  /// From start to end, mean.
  double warp_latency() const;

 private:
  struct Warp {
    std::uint64_t start = 0, end = 0, executed = 0;
    std::vector<std::uint64_t> groups;     ///< when each began
    std::uint64_t load[4] = {0, 0, 0, 0};  ///< issue of the load that a chain waits for, plus one
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
  std::vector<std::uint64_t> issues_;  ///< by time, kStep cycles each
  std::vector<Latencies> latencies_;   ///< by the time of the load
};

}  // namespace sassim::study
