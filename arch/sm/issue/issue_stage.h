// SPDX-License-Identifier: Apache-2.0
// The issue stage of a processing block, with the stages Control and Allocate behind it, whose timing is known when an
// instruction issues. why_not() decides why a warp does not issue and changes nothing; cycle() acts.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/fetch/fetch_stage.h"
#include "arch/sm/issue/accounts.h"
#include "arch/sm/issue/operands.h"
#include "arch/sm/issue/ready_warps.h"
#include "arch/sm/memory/memory_access.h"
#include "arch/sm/sync/sync_unit.h"
#include "arch/sm/warps/block_pipes.h"
#include "arch/sm/warps/block_state.h"
#include "arch/sm/warps/dependences.h"

namespace sassim::arch {

/// One read of the clock register by a warp.
struct ClockRead {
  BlockId block;
  std::uint32_t warp;   ///< in its block
  std::uint32_t index;  ///< `index` counts the reads of this warp from 0
  CodeLine instruction;
  Cycle cycle;
};

class IssueStage {
 public:
  /// The parts that an issuing instruction uses.
  struct Links {
    FetchStage& fetch;
    Dependences& dependences;
    Operands& operands;
    BlockPipes& pipes;
    MemoryAccess& memory;
    SyncUnit& sync;
  };
  IssueStage(BlockState& state, const Links& links, StallTable& stalls)
      : state_(state), to_(links), accounts_(state, links.pipes, ready_, stalls) {}

  /// Issues at most one instruction, or a pair of one warp.
  void cycle(Cycle now);
  /// Nothing calls cycle() in the cycle after `now`: its issue slot and those that follow are lost for one reason.
  void rest(Cycle now) { accounts_.slots().idle(slot_reason(now + 1)); }
  /// An event has concerned the warp: finds its stall reason again.
  void update(WarpIndex warp, Cycle now);
  /// Why the next instruction of the warp does not issue at `now`, apart from its resource; not_selected if it could
  /// issue. `until` becomes the cycle in which the answer may change without an event, or kNever. Changes nothing.
  StallReason why_not(WarpIndex warp, Cycle now, Cycle& until) const;
  /// For a live warp: finds the instruction that follows its last one, which was unknown when the last one issued.
  void find_path(WarpIndex warp, Cycle now);
  /// The first cycle after `now` in which a ready warp may issue.
  Cycle next_event(Cycle now) const { return ready_.next(to_.pipes, control_free_, now); }

  Accounts& accounts() { return accounts_; }
  const Accounts& accounts() const { return accounts_; }
  std::vector<ClockRead>& clock_reads() { return clock_reads_; }
  const std::vector<ClockRead>& clock_reads() const { return clock_reads_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(ready_, accounts_, control_free_, last_allocate_, last_yields_, clock_reads_);
  }

 private:
  bool was_refused(WarpMask candidates, Cycle now) const;
  StallReason slot_reason(Cycle now) const;
  /// `second`: of a pair, whose first instruction has just issued.
  void issue(WarpIndex warp, Cycle now, bool second);
  bool pairs_with_last(WarpIndex warp, CodeLine last, Cycle now) const;
  void constant_missed(WarpIndex warp, Cycle now, bool second);
  void compute(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now, bool second);
  void act(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now, bool second);
  Cycle occupy(const StaticInstruction& instruction, CodeLine line, Cycle now, std::uint64_t hold,
               std::uint32_t interval, bool second);
  void hold_for_second_pass(std::uint32_t cycles, Cycle now);
  Cycle execute(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now, bool second);
  std::uint64_t allocate(WarpIndex warp, const StaticInstruction& instruction, Cycle now, bool second);
  void expect_result(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle start, Cycle result);
  void send_to_memory(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now);
  void advance_stream(WarpIndex warp, const StaticInstruction& instruction, Cycle now);
  void follow_program(WarpIndex warp, Cycle now);
  void fetch_behind(WarpIndex warp);
  void drain(WarpIndex warp, Cycle now);
  void resume_later(WarpIndex warp, const StaticInstruction& instruction, LaneMask issued, Cycle now);
  std::uint32_t redirect_latency(const InstructionBuffer::Entry* next, const StaticInstruction& before,
                                 bool from_pool) const;
  static bool leaves_pool(ResidentWarp& warp, const StaticInstruction& before, LaneMask issued, LaneMask next);
  bool comes_from_pool(const InstructionBuffer::Entry* next, const StaticInstruction& before) const;

  BlockState& state_;
  const Links to_;
  ReadyWarps ready_;
  Accounts accounts_;
  Cycle control_free_;  ///< the first cycle in which Control and Allocate accept another instruction
  Cycle last_allocate_;
  bool last_yields_ = false;  ///< true if the instruction that issued last has the yield bit
  std::vector<ClockRead> clock_reads_;
};

}  // namespace sassim::arch
