// SPDX-License-Identifier: Apache-2.0
// Accounts of the cycles of a processing block and of its warps: every cycle counts once, for exactly one stall reason.
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/common/stall_table.h"
#include "arch/sm/issue/ready_warps.h"
#include "arch/sm/warps/block_state.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class Accounts {
 public:
  Accounts(const BlockState& state, const BlockPipes& pipes, const ReadyWarps& ready, StallTable& stalls)
      : state_(state), pipes_(pipes), ready_(ready), stalls_(stalls) {}

  void start_kernel(Cycle now);
  /// Adds the cycles of the warp until `now` to its current stall reason.
  void charge(ResidentWarp& warp, Cycle now);
  /// From `now` on the warp waits only for the resource of its next instruction.
  void becomes_ready(ResidentWarp& warp, Cycle now) {
    warp.before.busy = pipes_.input(warp.resource).before(now);
    warp.before.dispatch = ready_.held(warp.resource);
  }
  /// Counts the instruction that the warp issues at `now`. The second of a pair has no issue slot and no warp cycle.
  void issued(ResidentWarp& warp, const StaticInstruction& instruction, const InstructionBuffer::Entry& entry,
              Cycle now, bool second);
  /// Counts a warp that ended at `now`. Its cycles have been charged before; those of its EXIT are added here.
  void ended(const ResidentWarp& warp, Cycle now);
  void finish(Cycle now) { slots_.finish(now); }

  IssueSlots& slots() { return slots_; }
  const IssueSlots& slots() const { return slots_; }
  std::uint64_t issued() const { return issued_; }
  /// Cycles of ended warps, and of resident warps until `now`.
  std::uint64_t warp_cycles_until(Cycle now) const;
  /// Adds the cycles of resident warps until `now` that charge() has not counted yet.
  void add_open(Cycle now, StallCycles& sums) const;
  void report(stats::CounterValues& values, Cycle now) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(slots_, issued_, warp_cycles_, warps_, issued_to_);
  }

 private:
  /// The cycles of a warp since it was charged last. Those of a warp that waits for its resource have three reasons.
  struct Open {
    std::uint64_t busy = 0, held = 0, rest = 0;  ///< the resource was busy; dispatch was held; its own reason
  };
  Open open(const ResidentWarp& warp, Cycle now) const;

  const BlockState& state_;
  const BlockPipes& pipes_;
  const ReadyWarps& ready_;
  StallTable& stalls_;
  IssueSlots slots_;
  std::uint64_t issued_ = 0, warp_cycles_ = 0, warps_ = 0;
  std::array<std::uint64_t, kResources> issued_to_{};
};

}  // namespace sassim::arch
