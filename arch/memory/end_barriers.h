// SPDX-License-Identifier: Apache-2.0
// Sectors that the L2 counts beside those of the kernel's instructions. At the end of a kernel every SM sends a memory
// barrier to each slice that it has used; the launch itself sends barriers and reads too. They take no simulated time.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/activity.h"
#include "arch/network/topology.h"
#include "sim/config/gpu_config.h"
#include "sim/stats/metrics.h"

namespace sassim::arch {

class EndBarriers {
 public:
  /// `topology` must outlive this object.
  EndBarriers(const config::GpuConfig& config, const Topology& topology);

  void start_kernel(bool cold);
  /// The SM sent a request for a line whose home is this slice.
  void used(SmId sm, std::uint32_t slice) {
    if (!words_.empty()) words_[sm.value * words_per_sm_ + slice / 64] |= std::uint64_t{1} << slice % 64;
  }
  /// The launch's own sectors, and the barriers to the slices that were used up to now.
  void add_activity(Activity& sum) const;
  void report(stats::MetricSet& metrics) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(words_, cold_);
  }

 private:
  struct Sectors {
    std::uint64_t all = 0, link = 0;
  };
  Sectors barriers() const;
  std::uint64_t launch() const { return config_.launch_sectors + (cold_ ? config_.cold_sectors : 0); }

  const config::L2Config& config_;
  const Topology& topology_;
  std::size_t words_per_sm_;
  std::vector<std::uint64_t> words_;  ///< one bit for each slice, by SM; empty if no barriers are sent
  bool cold_ = false;
};

}  // namespace sassim::arch
