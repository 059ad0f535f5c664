// SPDX-License-Identifier: Apache-2.0
// The synchronisation of a processing block: everything for which its warps wait although their next instructions could
// issue, that is named barriers (BAR), fences (MEMBAR), WARPSYNC, NANOSLEEP and groups of asynchronous copies. Also
// handles the instructions of these, and MATCH and SYNCS. The issue stage asks why_not() and passes issued instructions
// to act().
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/sync/async_copies.h"
#include "arch/sm/sync/sm_sync.h"
#include "arch/sm/warps/block_pipes.h"
#include "arch/sm/warps/block_state.h"
#include "arch/sm/warps/dependences.h"

namespace sassim::arch {

class SyncUnit {
 public:
  SyncUnit(BlockState& state, Dependences& dependences, BlockPipes& pipes, SmSync& sm);

  void start_warp(WarpIndex warp);
  void end_warp(WarpIndex warp, Cycle now) { sm_.barriers.retire(state_.warps[warp].place, now); }

  /// The stall reason that holds for any next instruction of the warp; not_selected: no such reason.
  static StallReason why_not(const ResidentWarp& warp, Cycle now) {
    switch (warp.hold) {
      case Hold::barrier:  // a warp waits for the others only if it could issue itself
        return warp.stall_until > now ? StallReason::not_selected : StallReason::barrier;
      case Hold::groups:
        return warp.stall_until > now ? StallReason::not_selected : StallReason::long_scoreboard;
      case Hold::membar:
        return StallReason::membar;
      case Hold::warp_sync:
        return StallReason::branch_resolving;
      case Hold::sleep:
        return StallReason::sleeping;
      default:
        return StallReason::not_selected;
    }
  }
  /// How long a MATCH.ANY or SYNCS, the next instruction of the warp, occupies its unit, and its latency.
  struct Work {
    std::uint32_t interval, latency;
  };
  static bool decides_work(const StaticInstruction& instruction) {
    return instruction.values.each || instruction.action == Action::shared_barrier;
  }
  Work work(WarpIndex warp, const StaticInstruction& instruction) const;
  /// The warp's next instruction, in code line `line`, issues at `now`; its result is ready at `result`.
  void act(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now, Cycle result);

  // Memory operations, for which fences and groups of copies wait.
  /// The warp's next instruction issues. Returns what store_done() takes; Operation::kNoEpoch if no fence waits for it.
  std::uint32_t store_issued(WarpIndex warp, const StaticInstruction& instruction);
  void store_done(std::uint32_t epoch, Cycle now) { sm_.fences.store_done(epoch, now); }
  /// Call when the warp has no memory operation in flight any more.
  void memory_idle(WarpIndex warp, Cycle now);
  AsyncCopies& copies() { return copies_; }
  const AsyncCopies& copies() const { return copies_; }

  // Ends of waits. The caller then finds the stall reason of the warp again.
  /// The barrier has opened. False if the warp no longer waits at a barrier.
  bool barrier_opened(WarpIndex warp);
  /// The oldest BAR of the memory queue has left it.
  void barrier_reached(Cycle now);
  /// The fence, the sleep or the WARPSYNC is done.
  void release(WarpIndex warp, Cycle now);
  /// Starts the next of `masks` groups of threads of a WARPSYNC.
  void sync_threads(WarpIndex warp, std::uint32_t masks, Cycle now);
  /// The result of an instruction has been written.
  void written(WarpIndex warp, const StaticInstruction& instruction);

  /// True if a fence of this scope waits for the stores of its SM and asks the slices of the L2.
  bool fence_asks_memory(WarpIndex warp) const;
  /// The code line of the warp's last fence.
  CodeLine fence_line(WarpIndex warp) const { return warps_[warp].fence_line; }

  template <class Archive>
  void state(Archive& archive) {
    archive(copies_, warps_, queued_);
  }

 private:
  struct WarpSync {
    bool waits_to_join = false;  ///< some threads have reached a WARPSYNC, others have not
    LaneMask at_barrier;         ///< threads of a diverged warp that wait at a barrier while others run
    CodeLine fence_line = {};
    Cycle fence_at;
  };
  struct BarrierName {
    std::uint32_t number, threads;  ///< 0 threads: the whole thread block
  };

  /// What a BAR does when its warp arrives.
  struct Arrival {
    bool counts = false;  ///< false: its guard was false, or other threads of the warp have not arrived
    bool waits = false;
    std::uint32_t place = 0, barrier = 0, warps = 0;
    WarpSlot warp;
    template <class Archive>
    void state(Archive& archive) {
      archive(counts, waits, place, barrier, warps, warp);
    }
  };

  Arrival arrival(WarpIndex warp, const StaticInstruction& instruction);
  void arrive(const Arrival& arrival, Cycle now);
  BarrierName barrier_of(WarpIndex warp, const StaticInstruction& instruction) const;
  void fence(WarpIndex warp, CodeLine line, Cycle now);
  void ask_memory(WarpIndex warp, Cycle now);
  std::uint32_t fence_cycles(Scope scope) const;
  void join_threads(WarpIndex warp, CodeLine line, Cycle now);
  void sleep(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now);

  BlockState& state_;
  Dependences& dependences_;
  BlockPipes& pipes_;
  SmSync& sm_;
  AsyncCopies copies_;
  std::vector<WarpSync> warps_;
  std::vector<Arrival> queued_;  ///< of BARs in the memory queue, the oldest first
};

}  // namespace sassim::arch
