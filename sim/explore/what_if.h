// SPDX-License-Identifier: Apache-2.0
// Idealisations: the gain if one part of the GPU were perfect. The part with the largest gain is the bottleneck.
#pragma once

#include <string>
#include <vector>

#include "sim/config/forward.h"

namespace sassim::explore {

struct Idealisation {
  std::string name;                    ///< "perfect L1"
  std::string meaning;                 ///< one sentence
  std::vector<std::string> overrides;  ///< KEY=VALUE
  bool part = true;  ///< one part of the GPU is perfect; false: several are, or the chip or the kernel is another one
};

/// In a fixed order; the last one combines all others.
std::vector<Idealisation> idealisations(const config::GpuConfig& config);

}  // namespace sassim::explore
