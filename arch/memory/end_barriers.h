// SPDX-License-Identifier: Apache-2.0
// Counts the sectors of memory barriers, which are part of the L2's metrics beside those of the kernel's instructions:
// at the end of a kernel every SM sends one to each slice that it has used, and so does a fence. They take no simulated
// time.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/indices.h"
#include "arch/network/topology.h"
#include "sim/config/forward.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class EndBarriers {
 public:
  /// `topology` must outlive this object.
  EndBarriers(const config::GpuConfig& config, const Topology& topology);

  void start_kernel();
  /// The SM sent a request for a line whose home is this slice.
  void used(SmId sm, SliceId slice) {
    if (!words_.empty()) words_[sm.value * words_per_sm_ + slice.value / 64] |= std::uint64_t{1} << slice.value % 64;
  }
  /// Fences sent barriers to so many slices of the SM's half of the chip, and of the other half.
  void of_fences(std::uint32_t near, std::uint32_t far);
  /// The barriers to the slices that were used up to now.
  void report(stats::CounterValues& values) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(words_, fences_.all, fences_.link);
  }

 private:
  struct Sectors {
    std::uint64_t all = 0, link = 0;
  };
  void add(Sectors& sum, SmId sm) const;
  Sectors barriers() const;

  const Topology& topology_;
  std::size_t words_per_sm_;
  std::vector<std::uint64_t> words_;  ///< one bit for each slice, by SM; empty if no barriers are sent
  Sectors fences_;
};

}  // namespace sassim::arch
