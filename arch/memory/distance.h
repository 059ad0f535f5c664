// SPDX-License-Identifier: Apache-2.0
// How much farther than the nearest a slice is from an SM, in SM cycles. Seen from one SM the slices of a half lie
// evenly between nearest and farthest; another GPC sees the same slices in another order (l2.line.* of
// validation/hardware/h200.json: SMs of a TPC agree, those of other GPCs differ).
#pragma once

#include <cstdint>
#include <vector>

#include "arch/memory/topology.h"
#include "sim/base/types.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class SliceDistance {
 public:
  SliceDistance(const config::GpuConfig& config, const Topology& topology);
  Cycle of(SmId sm, std::uint32_t slice) const {
    return Cycle{spread_ == 0 ? 0u : extra_[(slice % half_ + first_ + std::size_t{topology_.gpc(sm)} * step_) % half_]};
  }

 private:
  const Topology& topology_;
  std::uint32_t spread_, half_, step_, first_;
  std::vector<std::uint32_t> extra_;  ///< by place of the slice, as the first SMs see it
};

}  // namespace sassim::arch
