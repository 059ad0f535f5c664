// SPDX-License-Identifier: Apache-2.0
// The state of a resident warp in its processing block.
#pragma once

#include <cstdint>

#include "arch/common/indices.h"
#include "arch/sm/code/static_code.h"
#include "arch/sm/common/stall_reason.h"
#include "arch/sm/warps/dependence_counters.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// What a warp waits for, apart from the conditions of its next instruction.
enum class Hold : std::uint8_t {
  none,
  constant,  ///< an operand that missed the constant cache
  drain,     ///< its last instruction has issued, but memory operations are in flight
  // Set and released by the SyncUnit:
  barrier,
  membar,
  sleep,
  warp_sync,
  groups  ///< groups of asynchronous copies
};

struct ResidentWarp {
  bool resident = false;
  Hold hold = Hold::none;
  bool starting = false;  ///< the launch has not reached the warp yet
  bool ending = false;    ///< the warp ends in the next cycle
  struct {
    /// Fetch waits until the last fetched instruction issues, because control flow may leave the line.
    bool redirected = false;
    bool reconverging = false;  ///< the last instruction was a BSYNC: the warp waits for the next one because of it
  } flow;
  Resource resource = Resource::none;  ///< needed by the next instruction, while the warp is ready
  StallReason reason = StallReason::no_warp;
  std::uint16_t generation = 0;  ///< how many warps this slot had before: events of an earlier warp are ignored
  struct {
    std::uint16_t outstanding = 0;  ///< operations in flight
    std::uint16_t left = 0;         ///< stores among them that have left the SM; an ending warp does not wait for them
  } memory;
  CodeLine line = {};  ///< the code line to which cycles are charged
  struct {
    CodeLine line = {};   ///< of its last issued instruction
    LaneMask mask;        ///< active threads of that instruction
    LaneMask other_side;  ///< the threads that its last divergent branch left behind, until they continue
  } live;
  Cycle stall_until;  ///< the stall count of its last instruction runs out
  Cycle since;        ///< its cycles before this one have been charged to stall reasons
  struct {
    std::uint64_t busy = 0, dispatch = 0;
  } before;  ///< while ready: the resource's sums at `since`
  DependenceCounters counters;

  std::uint32_t place = 0;  ///< place of its thread block on the SM
  BlockId block;
  struct {
    std::uint32_t number_in_block = 0;
    LaunchIndex launch = {};  ///< number of its launch in the static code
    std::uint32_t clock_reads = 0;
    std::uint32_t local_base_thread = 0;
  } own;
  Cycle start;                  ///< when it was placed
  std::uint64_t accounted = 0;  ///< cycles that have been charged to stall reasons

  /// True if the warp has finished and its end is not scheduled yet.
  bool drained() const { return hold == Hold::drain && !ending && memory.outstanding == memory.left; }
};

}  // namespace sassim::arch
