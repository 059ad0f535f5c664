// SPDX-License-Identifier: Apache-2.0
// A resident warp as its processing block keeps it.
#pragma once

#include <cstdint>

#include "arch/sm/fetch/static_code.h"
#include "arch/sm/issue/dependence_counters.h"
#include "arch/sm/issue/stall_reason.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// What a warp waits for apart from the conditions of its next instruction.
enum class Hold : std::uint8_t {
  none,
  constant,  ///< an operand that missed the constant cache
  drain,     ///< its last instruction has issued; memory operations are in flight
  // What the SyncUnit sets and releases:
  barrier,
  membar,
  sleep,
  warp_sync,
  groups  ///< of asynchronous copies
};

struct Warp {
  bool resident = false;
  Hold hold = Hold::none;
  bool ending = false;      ///< the warp ends in the next cycle
  bool redirected = false;  ///< fetch waits for the last fetched instruction to issue: control flow leaves the line
  Resource resource = Resource::none;  ///< wanted, while ready
  StallReason reason = StallReason::no_warp;
  std::uint16_t generation = 0;   ///< events of an earlier warp in this place are void
  std::uint16_t outstanding = 0;  ///< memory operations in flight
  std::uint16_t left = 0;         ///< stores among them that have left the SM: an ending warp does not wait for these
  std::uint32_t line = 0;         ///< the code line that cycles are charged to
  Cycle stall_until, since;
  std::uint64_t busy_before = 0, dispatch_before = 0;  ///< while ready: the resource's sums at `since`
  DependenceCounters counters;

  std::uint32_t place = 0;   ///< place of its thread block in the SM
  std::uint32_t number = 0;  ///< within its thread block
  BlockId block;
  std::uint32_t clock_reads = 0;
  std::uint32_t local_base_thread = 0;
  Cycle start;
  std::uint64_t accounted = 0;

  /// The warp has nothing left to do, and its end is not scheduled yet.
  bool drained() const { return hold == Hold::drain && !ending && outstanding == left; }
};

}  // namespace sassim::arch
