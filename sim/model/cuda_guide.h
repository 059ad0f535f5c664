// SPDX-License-Identifier: Apache-2.0
// The warps of an SM that hide memory latency, as the CUDA C Programming Guide counts them in section 5.2.3, and as
// Volkov's dissertation corrects it in section 4.8. Implemented in models/cuda_guide.cpp, for `sassim sweep` and the
// rows of `sassim validate`.
#pragma once

#include "sim/model/hardware.h"

namespace sassim::model {

/// `alpha`: arithmetic instructions for each memory instruction. The latency of memory divided by the time in which the
/// SM issues that many instructions.
double guide_warps_needed(const HardwareParameters& gpu, double alpha);
/// Counts the memory instruction and the stalled warp too.
double guide_warps_needed_refined(const HardwareParameters& gpu, double alpha);
/// Counts also the warps that hide arithmetic latency, which is Volkov's correction.
double guide_warps_needed_with_arithmetic(const HardwareParameters& gpu, double alpha);

}  // namespace sassim::model
