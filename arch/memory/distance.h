// SPDX-License-Identifier: Apache-2.0
// How much farther than the nearest a slice is from an SM, in SM cycles. Seen from one SM the slices of a half lie
// evenly between nearest and farthest; groups of neighbouring SMs see the same slices in another order (l2.line.* of
// validation/hardware/h200.json: SMs of a TPC agree, those of other GPCs differ).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/types.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class SliceDistance {
 public:
  explicit SliceDistance(const config::GpuConfig& config);
  Cycle of(SmId sm, std::uint32_t slice) const {
    return Cycle{spread_ == 0 ? 0u : extra_[(slice % half_ + std::size_t{sm.value} * kGroups / sms_ * step_) % half_]};
  }

 private:
  static constexpr std::uint32_t kGroups = 8;  ///< of SMs

  std::uint32_t spread_, sms_, half_, step_;
  std::vector<std::uint32_t> extra_;  ///< by place of the slice, as the first SMs see it
};

}  // namespace sassim::arch
