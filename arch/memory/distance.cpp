// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/distance.h"

#include <algorithm>
#include <numeric>

namespace sassim::arch {

SliceDistance::SliceDistance(const config::GpuConfig& config, const Topology& topology)
    : topology_(topology),
      spread_(config.memory.crossbar.spread),
      half_(std::max(config.memory.l2.slices / std::max(config.memory.l2.partitions, 1u), 1u)),
      step_((half_ + topology.gpcs() - 1) / topology.gpcs()),
      first_(half_ - config.memory.crossbar.nearest % half_),
      extra_(half_) {
  // Slices that follow each other in the address space are not neighbours on the chip.
  std::uint32_t stride = std::max(half_ * 3 / 8, 1u);
  while (std::gcd(stride, half_) != 1) ++stride;
  for (std::uint32_t i = 0; i < half_; ++i)
    extra_[i] = half_ == 1 ? 0 : static_cast<std::uint32_t>(std::uint64_t{i} * stride % half_ * spread_ / (half_ - 1));
}

}  // namespace sassim::arch
