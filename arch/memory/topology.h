// SPDX-License-Identifier: Apache-2.0
// Which SMs are neighbours: their GPC, and the half of the chip that it is at.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/types.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class Topology {
 public:
  explicit Topology(const config::GpuConfig& config);
  std::uint32_t gpcs() const { return gpcs_; }
  std::uint32_t gpc(SmId sm) const { return gpc_[sm.value]; }
  bool upper_half(SmId sm) const { return upper_[sm.value] != 0; }

 private:
  static constexpr std::uint32_t kUnknownGpcs = 8;  ///< where the configuration does not tell

  std::uint32_t gpcs_;
  std::vector<std::uint32_t> gpc_;
  std::vector<std::uint8_t> upper_;
};

}  // namespace sassim::arch
