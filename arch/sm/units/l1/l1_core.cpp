// SPDX-License-Identifier: Apache-2.0
// Sets up what the parts of an L1 share, from the configuration of its SM.
#include "arch/sm/units/l1/l1_core.h"

#include "sim/config/groups/sm.h"

namespace sassim::arch {

L1Core::L1Core(const config::Sm& sm, MemoryPort& port, LiveAccesses& accesses, SmId id)
    : config(sm.l1),
      sm_id(id),
      pieces(sm.l1.line, sm.l1.sector),
      misses(sm, port, id),
      live(accesses, sm.l1.line, sm.l1.sector) {}

}  // namespace sassim::arch
