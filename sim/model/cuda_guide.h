// SPDX-License-Identifier: Apache-2.0
// Warps needed to hide memory latency as the CUDA C Programming Guide, section 5.2.3, counts them (Volkov,
// section 4.8).
#pragma once

#include "sim/model/hardware.h"

namespace sassim::model {

/// mem_lat / (instruction time * alpha).
double guide_warps_needed(const HardwareParameters& gpu, double alpha);
/// With the memory instruction and the stalled warp itself counted too.
double guide_warps_needed_refined(const HardwareParameters& gpu, double alpha);
/// With the warps that hide arithmetic latency: Volkov's correction.
double guide_warps_needed_with_arithmetic(const HardwareParameters& gpu, double alpha);

}  // namespace sassim::model
