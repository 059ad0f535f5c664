// SPDX-License-Identifier: Apache-2.0
// Everything for which a warp waits although its next instruction could issue: named barriers (BAR), fences (MEMBAR),
// WARPSYNC, NANOSLEEP, groups of asynchronous copies; and the instructions of these, with MATCH and SYNCS. One per
// processing block. Issue asks why_not(); what issues goes to act().
#pragma once

#include <cstdint>
#include <vector>

#include "arch/sm/block_state.h"
#include "arch/sm/issue/block_pipes.h"
#include "arch/sm/issue/dependences.h"
#include "arch/sm/sync/async_copies.h"
#include "arch/sm/sync/sm_sync.h"

namespace sassim::arch {

class SyncUnit {
 public:
  SyncUnit(BlockState& state, Dependences& dependences, BlockPipes& pipes, SmSync& sm);

  void start_warp(std::uint32_t warp);
  void end_warp(std::uint32_t warp, Cycle now) { sm_.barriers.retire(state_.warps[warp].place, now); }

  /// What keeps the warp from issuing whatever its next instruction is; not_selected: nothing here.
  static StallReason why_not(const Warp& warp, Cycle now) {
    switch (warp.hold) {
      case Hold::barrier:  // only a warp that could issue counts as waiting for the others
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
  /// How long a MATCH.ANY or SYNCS, the warp's next instruction, occupies its unit, and until its result.
  struct Work {
    std::uint32_t interval, latency;
  };
  static bool decides_work(const StaticInstruction& instruction) {
    return instruction.by_values || instruction.action == Action::shared_barrier;
  }
  Work work(std::uint32_t warp, const StaticInstruction& instruction) const;
  /// The warp's next instruction, of the code line `line`, issues at `now`, with its result at `result`.
  void act(std::uint32_t warp, const StaticInstruction& instruction, std::uint32_t line, Cycle now, Cycle result);

  // Memory operations, of which fences and groups of copies consist.
  /// The warp's next instruction issues. Returns what store_done() needs; FenceUnit::kNone if no fence waits for it.
  std::uint32_t store_issued(std::uint32_t warp, const StaticInstruction& instruction);
  void store_done(std::uint32_t epoch, Cycle now) { sm_.fences.store_done(epoch, now); }
  /// No memory operation of the warp is in flight any more.
  void memory_idle(std::uint32_t warp, Cycle now);
  AsyncCopies& copies() { return copies_; }
  const AsyncCopies& copies() const { return copies_; }

  // What ends a wait. The caller then asks again why the warp does not issue.
  /// The barrier has opened. False if the warp does not wait at one any more.
  bool barrier_opened(std::uint32_t warp);
  /// The fence, the nap or the WARPSYNC is done.
  void release(std::uint32_t warp, Cycle now);
  /// The next of `masks` groups of threads of a WARPSYNC.
  void sync_threads(std::uint32_t warp, std::uint32_t masks, Cycle now);
  /// The result of an instruction has been written.
  void written(std::uint32_t warp, const StaticInstruction& instruction);

  /// A fence of this scope waits for stores in flight, beyond the L1.
  bool fence_asks_memory(std::uint32_t warp) const;
  /// The code line of the warp's last fence.
  std::uint32_t fence_line(std::uint32_t warp) const { return warps_[warp].fence_line; }

  template <class Archive>
  void state(Archive& archive) {
    archive(copies_, warps_);
  }

 private:
  struct WarpSync {
    bool waits_to_join = false;  ///< some of its threads have reached a WARPSYNC, others have not
    LaneMask at_barrier;         ///< threads of a diverged warp that wait at a barrier while others still run
    std::uint32_t fence_line = 0;
    Cycle fence_at;
  };
  struct BarrierName {
    std::uint32_t number, threads;  ///< 0 threads: the whole thread block
  };

  void arrive(std::uint32_t warp, const StaticInstruction& instruction, Cycle now);
  BarrierName barrier_of(std::uint32_t warp, const StaticInstruction& instruction) const;
  void fence(std::uint32_t warp, std::uint32_t line, Cycle now);
  void ask_memory(std::uint32_t warp, Cycle now);
  std::uint32_t fence_cycles(Scope scope) const;
  void join_threads(std::uint32_t warp, std::uint32_t line, Cycle now);
  void sleep(std::uint32_t warp, const StaticInstruction& instruction, std::uint32_t line, Cycle now);

  BlockState& state_;
  Dependences& dependences_;
  BlockPipes& pipes_;
  SmSync& sm_;
  AsyncCopies copies_;
  std::vector<WarpSync> warps_;
};

}  // namespace sassim::arch
