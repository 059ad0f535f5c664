// SPDX-License-Identifier: Apache-2.0
// A processing block: a part of an SM with its own warps, and the stages of their instructions. The SM calls
// cycle() for the cycles that next_event() names, and skips the others.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/block/block_waits.h"
#include "arch/sm/fetch/fetch_stage.h"
#include "arch/sm/fetch/replay_program.h"
#include "arch/sm/issue/issue_stage.h"
#include "arch/sm/issue/operands.h"
#include "arch/sm/memory/memory_access.h"
#include "arch/sm/sync/sync_unit.h"
#include "arch/sm/warps/block_pipes.h"
#include "arch/sm/warps/block_state.h"
#include "arch/sm/warps/dependences.h"
#include "sim/base/types.h"
#include "sim/config/forward.h"

namespace sassim::arch {

/// Identity and start of a placed warp.
struct WarpPlacement {
  WarpIndex warp;                 ///< number in the processing block
  std::uint32_t place;            ///< place of the thread block on the SM
  std::uint32_t number_in_block;  ///< number of the warp in the thread block
  BlockId block;
  std::uint64_t age;        ///< grows with every placed warp
  std::uint64_t block_age;  ///< grows with every placed thread block
  std::uint32_t local_base_thread;
  LaunchIndex launch = {};  ///< number of the launch in the static code
  Cycle begins;             ///< when the warp becomes active: the SM places one after another
};

class ProcessingBlock {
 public:
  ProcessingBlock(const config::GpuConfig& config, std::uint8_t part, InstructionCache& instructions, SmSync& sync,
                  SharedUnits& shared, StallTable& stalls);
  ProcessingBlock(const ProcessingBlock&) = delete;
  ProcessingBlock& operator=(const ProcessingBlock&) = delete;

  /// `observer` may be null.
  void start_kernel(const StaticCode& code, bool keep_code, bool keep_constants, SmId sm, PipelineObserver* observer,
                    Cycle now);
  /// Adds a launch that runs beside the others; the code that start_kernel() got has its code already.
  void add_launch(LaunchIndex launch) { fetch_.add_launch(*state_.code, launch); }
  void place(const WarpPlacement& placement, trace::Cursor cursor, Cycle now);
  /// Places a live warp, or one whose path fetch does not know ahead.
  void place(const WarpPlacement& placement, trace::WarpProgram& program, Cycle now);
  /// The units of the SM and the accesses of its live warps.
  void connect(Units& units, LiveAccesses& live) {
    state_.units = &units;
    state_.live = &live;
  }

  void cycle(Cycle now);
  Cycle next_event() const { return state_.agenda.next_call(); }

  // Events from the rest of the SM, before cycle() of the same `now`.
  void line_arrived(const InstructionCache::Client& client, Cycle now);
  void bulk_piece(WarpIndex warp, std::uint32_t index, Cycle now);
  void memory_event(std::uint32_t operation, UnitEvent::Kind kind, Cycle now);
  void barrier_opened(WarpIndex warp, Cycle now);
  void fence_passed(WarpIndex warp, Cycle now);
  void phase_over(std::uint32_t check, Cycle now) { sync_.copies().phase_over(check, now); }

  /// The queue of instructions in front of units of the SM.
  MemoryQueue& queue(UnitQueue which) { return memory_.queue(which); }
  /// An instruction of a queue has been accepted at `now`.
  void memory_accepted(Cycle now) { state_.agenda.call(now); }
  /// True if a warp asked the L1 to invalidate its lines since the last call.
  bool dequeue_invalidation() { return memory_.dequeue_invalidation(); }
  /// True if a warp has ended or read the clock since the last collection of ended() and clock_reads().
  bool has_news() const { return !ended_.empty() || !issue_.clock_reads().empty(); }
  /// Warps that ended, and clock reads, since the last call.
  std::vector<WarpIndex>& ended() { return ended_; }
  std::vector<ClockRead>& clock_reads() { return issue_.clock_reads(); }

  std::uint64_t issued() const { return issue_.accounts().issued(); }
  std::uint32_t resident() const { return state_.resident + awaited_; }
  std::size_t memory_operations() const { return memory_.operations().in_flight(); }
  /// Memory instructions of a launch, from issue until their last event.
  bool has_operations_of(LaunchIndex launch) const;
  LaunchIndex launch_of(std::uint32_t operation) const {
    return state_.code->launches() == 1 ? LaunchIndex{} : state_.code->launch_of(memory_.operations()[operation].line);
  }
  std::size_t memory_queued() const { return memory_.queue().size(); }
  /// Adds the number of warps with each stall reason to `warps`.
  void count_reasons(std::array<std::uint32_t, kStallReasons>& warps) const;
  /// What the warps wait for, and where their memory operations are.
  BlockWaits waits() const { return {state_, issue_, pipes_, memory_, sync_}; }
  /// Closes the accounts at `now`.
  void finish(Cycle now) { issue_.accounts().finish(now); }
  const IssueSlots& slots() const { return issue_.accounts().slots(); }
  const Accounts& accounts() const { return issue_.accounts(); }
  void report(stats::CounterValues& values, Cycle now) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(state_, fetch_, operands_, dependences_, memory_, pipes_, sync_, issue_, ended_, awaited_, replays_);
  }
  /// After loading, once: what the instructions in the queues decode to.
  void attach_code() { memory_.attach_code(); }
  /// After loading, for each resident warp: what it executes. The observer hears of it.
  void attach(WarpIndex warp, const trace::BlockTrace& block);

 private:
  void start_warp(const WarpPlacement& placement, Cycle now);
  void begin_warp(WarpIndex warp, Cycle now);
  // events.cpp
  void handle(const BlockEvent& event, Cycle now);
  void release_write(WarpIndex warp, CodeLine line, Cycle now);
  void memory_left(Operation& operation, Cycle now);
  void memory_done(std::uint32_t operation, Cycle now);
  void end_warp(WarpIndex warp, Cycle now);

  BlockState state_;
  FetchStage fetch_;
  Operands operands_;
  Dependences dependences_;
  MemoryAccess memory_;
  BlockPipes pipes_;
  SyncUnit sync_;
  IssueStage issue_;
  std::vector<WarpIndex> ended_;
  std::uint32_t awaited_ = 0;           ///< warps that have their place and have not begun
  std::vector<ReplayProgram> replays_;  ///< by warp, for a trace of live warps
};

}  // namespace sassim::arch
