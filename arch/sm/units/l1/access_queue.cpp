// SPDX-License-Identifier: Apache-2.0
// Sets up the queue in front of the L1's tag stage.
#include "arch/sm/units/l1/access_queue.h"

#include <algorithm>

#include "sim/config/groups/sm.h"

namespace sassim::arch {

AccessQueue::AccessQueue(const config::Sm& sm)
    : coalescer_(sm.l1, sm.shared), capacity_(std::max(sm.memory_io.stage_queue, 1u)), order_(capacity_) {}

}  // namespace sassim::arch
