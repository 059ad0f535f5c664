// SPDX-License-Identifier: Apache-2.0
// Where the warps of an SM wait for each other or for the L2: named barriers, barriers in shared memory, fences.
// The SyncUnits of its processing blocks share them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arch/sm/sync/barrier_unit.h"
#include "arch/sm/sync/fence_unit.h"
#include "arch/sm/sync/shared_barriers.h"
#include "sim/config/forward.h"

namespace sassim::arch {

struct SmSync {
  explicit SmSync(const config::GpuConfig& config);

  void start_block(std::uint32_t place, std::uint32_t warps) {
    barriers.start_block(place, warps);
    shared_barriers.start_block(place);
  }
  Cycle next_event() const {
    return std::min({barriers.next_event(), fences.next_event(), shared_barriers.next_event()});
  }

  BarrierUnit barriers;
  FenceUnit fences;
  SharedBarriers shared_barriers;

  template <class Archive>
  void state(Archive& archive) {
    archive(barriers, fences, shared_barriers);
  }
};

}  // namespace sassim::arch
