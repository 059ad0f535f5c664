// SPDX-License-Identifier: Apache-2.0
// A quarter of an SM: its warps, front end, issue stage, register file and pipes. Plain C++ without SystemC; the SM
// calls cycle() for every cycle at or after next_event(), and skips the others.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arch/sm/fetch/constant_cache.h"
#include "arch/sm/fetch/front_end.h"
#include "arch/sm/fetch/static_code.h"
#include "arch/sm/issue/pipe.h"
#include "arch/sm/issue/register_file.h"
#include "arch/sm/issue/scoreboard.h"
#include "arch/sm/issue/stall_table.h"
#include "arch/sm/issue/warp_scheduler.h"
#include "arch/sm/memory/memory_queue.h"
#include "arch/sm/pipeline_observer.h"
#include "arch/sm/sync/async_groups.h"
#include "arch/sm/sync/barrier_unit.h"
#include "arch/sm/sync/fence_unit.h"
#include "arch/sm/sync/shared_barriers.h"
#include "arch/sm/warp.h"
#include "sim/base/wait_graph.h"

namespace sassim::arch {

/// Units of an SM that its processing blocks share, where the configuration says so.
struct SharedUnits {
  Unit fp64, tensor, xu, adu;
};

/// A clock that a warp has read.
struct ClockRead {
  BlockId block;
  std::uint32_t warp, number;  ///< which read of this warp, from 0
  std::uint32_t instruction;   ///< index into the code
  Cycle cycle;
};

struct WarpPlacement {
  std::uint32_t warp;    ///< in the processing block
  std::uint32_t place;   ///< of the thread block in the SM
  std::uint32_t number;  ///< of the warp in the thread block
  BlockId block;
  std::uint64_t age;        ///< rising with every placed warp
  std::uint64_t block_age;  ///< rising with every placed thread block
  std::uint32_t local_base_thread;
  std::uint32_t wait;  ///< cycles until the launch has got to this warp of the thread block
};

class ProcessingBlock {
 public:
  ProcessingBlock(const config::GpuConfig& config, std::uint8_t number, InstructionCache& instructions,
                  BarrierUnit& barriers, FenceUnit& fences, SharedBarriers& shared_barriers, SharedUnits& shared,
                  StallTable& stalls);
  ~ProcessingBlock();

  /// `observer` may be null.
  void start_kernel(const StaticCode& code, bool keep_code, bool keep_constants, SmId sm, PipelineObserver* observer,
                    Cycle now);
  void place(const WarpPlacement& placement, trace::Cursor cursor, Cycle now);
  /// A live warp, or one whose path fetch does not know ahead.
  void place(const WarpPlacement& placement, trace::WarpProgram& program, Cycle now);
  /// Who is told of live accesses to global memory as they issue.
  void connect(LoadStoreUnit& memory) { load_store_ = &memory; }

  void cycle(Cycle now);
  Cycle next_event() const { return next_event_; }

  // What comes from the rest of the SM, before cycle() of the same `now`.
  void line_arrived(const InstructionCache::Client& client, Cycle now);
  void memory_event(std::uint32_t token, LsuEvent::Kind kind, Cycle now);
  void barrier_opened(std::uint32_t warp, Cycle now);
  void fence_passed(std::uint32_t warp, Cycle now);
  void phase_over(std::uint32_t check, Cycle now);

  MemoryQueue& memory_queue() { return memory_queue_; }
  /// The queue gave an instruction to the memory stage at `now`.
  void memory_accepted(Cycle now) { next_event_ = std::min(next_event_, now); }

  /// Whether a warp told the L1 to forget its lines since the last call.
  bool forgets() { return std::exchange(forgets_, false); }
  /// Warps that ended since the last call, and clocks read.
  std::vector<std::uint32_t>& ended() { return ended_; }
  std::vector<ClockRead>& clock_reads() { return clock_reads_; }

  std::uint64_t issued() const { return issued_; }
  std::uint32_t resident() const { return resident_; }
  /// What its warps wait for, and where their memory operations are.
  void describe_waits(WaitGraph& graph, Cycle now) const;
  /// What a fence of the SM, `fence`, waits for.
  void describe_stores(WaitGraph& graph, WaitGraph::Node fence) const;
  /// That a barrier in shared memory waits for copies of warps whose thread block is in `place`.
  void describe_arrivals(WaitGraph& graph, WaitGraph::Node barrier, std::uint32_t place, std::uint32_t address) const;
  WaitGraph::Node warp_node(WaitGraph& graph, std::uint32_t warp) const;
  /// A check of barriers in shared memory, by the name that SharedBarriers::Waiter has for it.
  WaitGraph::Node check_node(WaitGraph& graph, std::uint32_t check) const;
  /// Closes the accounts at `now`.
  void finish(Cycle now);
  const IssueSlots& slots() const { return slots_; }
  std::uint64_t warp_cycles() const { return warp_cycles_; }
  void report(stats::MetricSet& metrics) const;

  /// Why the warp's next instruction does not issue at `now`, its resource aside: not_selected if it could. `until`:
  /// when the answer changes by itself; kNever if only an event changes it. Asks, never acts.
  StallReason why_not(std::uint32_t warp, Cycle now, Cycle& until) const;
  /// Why an instruction that wants `resource` does not issue while the resource is busy.
  static StallReason refusal(Resource resource);

 private:
  enum class Kind : std::uint8_t {
    written,
    read,
    start_fetch,
    resume_fetch,
    release_hold,
    sync_threads,
    memory_written,
    end_warp
  };
  struct Event {
    Kind kind;
    std::uint8_t warp;
    std::uint16_t generation;
    std::uint32_t data;  ///< code line, or token
  };
  struct InFlight {
    std::uint8_t warp;
    bool sources_read, finished, departed;
    bool left;                 ///< a store that is no longer the SM's: its warp need not wait for it to end
    std::uint16_t generation;  ///< of the warp, which may have ended before its stores were acknowledged
    std::uint32_t epoch;       ///< the FenceUnit's, of stores that have lanes
    std::uint32_t group;       ///< the warp's AsyncGroups', of copies to shared memory
    std::uint32_t line;
    trace::LiveAccess* live = nullptr;
  };

  /// A check of barriers in shared memory that waits for the ends of phases.
  struct Check {
    std::uint8_t warp = 0;
    std::uint16_t generation = 0;
    std::uint32_t line = 0, waits = 0;
    Cycle result;  ///< not before
  };
  /// What the end of a group of copies does at a barrier in shared memory.
  struct Arrival {
    std::uint32_t line, address, lanes;
    bool last;  ///< of its group
  };

  /// What runs beside the warps.
  struct Async {
    SharedBarriers& barriers;
    std::vector<AsyncGroups> groups;             ///< by warp
    std::vector<std::vector<Arrival>> arrivals;  ///< by warp, of groups that are not done, in order
    std::vector<Check> checks;
    std::vector<std::uint32_t> free_checks;
  };

  // processing_block.cpp
  void place(const WarpPlacement& placement, Cycle now);

  // live_path.cpp
  void follow_program(std::uint32_t warp, Cycle now);
  void find_path(std::uint32_t warp, Cycle now);

  // issue.cpp
  void issue(Cycle now);
  bool was_refused(WarpMask candidates, Cycle now) const;
  void select(std::uint32_t warp, Cycle now);
  void constant_missed(std::uint32_t warp, Cycle now);
  Cycle execute(std::uint32_t warp, const StaticInstruction& instruction, std::uint32_t line, Cycle now);
  void send_to_memory(std::uint32_t warp, const StaticInstruction& instruction, std::uint32_t line, Cycle now);
  void act(std::uint32_t warp, const StaticInstruction& instruction, std::uint32_t line, Cycle now, Cycle result);
  struct BarrierName {
    std::uint32_t number, threads;  ///< 0 threads: the whole thread block
  };
  BarrierName barrier_of(std::uint32_t warp, const StaticInstruction& instruction) const;
  std::uint32_t count_in_trace(std::uint32_t warp, std::uint32_t otherwise = 1) const;
  bool comes_from_pool(const InstructionBuffer::Entry* next, const StaticInstruction& before) const;
  void arrive(std::uint32_t warp, const StaticInstruction& instruction, Cycle now);
  void advance_stream(std::uint32_t warp, const StaticInstruction& instruction, Cycle now);
  void drain(std::uint32_t warp, Cycle now);
  void resume_later(std::uint32_t warp, const StaticInstruction& instruction, Cycle now);
  WarpMask eligible(Cycle now) const;
  Scoreboard::Answer dependence(std::uint32_t warp, Cycle now) const;

  // events.cpp
  void happen(const Event& event, Cycle now);
  void fetch(Cycle now);
  void want_fetch(std::uint32_t warp);
  void release_write(std::uint32_t warp, std::uint32_t line, Cycle now);
  void release_read(std::uint32_t warp, std::uint32_t line);
  static void end_access(InFlight& flight);
  void memory_left(InFlight& flight, Cycle now);
  /// The warp has nothing left to do, and nobody has said so yet.
  static bool drained(const Warp& warp) {
    return warp.hold == Hold::drain && !warp.ending && warp.outstanding == warp.left;
  }
  void memory_done(std::uint32_t token, Cycle now);
  void release_hold(std::uint32_t warp, Cycle now);
  void join_threads(std::uint32_t warp, std::uint32_t line, Cycle now);
  void sync_threads(std::uint32_t warp, std::uint32_t masks, Cycle now);
  std::uint32_t membar_cycles(std::uint32_t line) const;
  std::uint32_t membar_least(std::uint32_t line) const;
  bool membar_waits(std::uint32_t line) const;
  void end_warp(std::uint32_t warp, Cycle now);
  void after(Cycle at, Kind kind, std::uint32_t warp, std::uint32_t data);

  // async.cpp
  std::uint32_t barriers_named(std::uint32_t warp) const;
  void copy_done(const InFlight& flight, Cycle now);
  void close_group(std::uint32_t warp, const StaticInstruction& instruction, std::uint32_t line, Cycle now,
                   Cycle result);
  Cycle reaches_barriers(const StaticInstruction& instruction, Cycle result) const;
  void finish_groups(std::uint32_t warp, Cycle now);
  bool groups_left(std::uint32_t warp) const;
  void arrive_for_copies(std::uint32_t warp, Cycle at);
  void use_barrier(std::uint32_t warp, const StaticInstruction& instruction, std::uint32_t line, Cycle result);
  void check_phases(std::uint32_t warp, std::uint32_t line, Cycle result);

  // block_waits.cpp
  std::string line_text(std::uint32_t line) const;
  WaitGraph::Node operation_node(WaitGraph& graph, std::uint32_t warp, std::uint32_t line) const;
  WaitGraph::Node operation_node(WaitGraph& graph, const InFlight& flight) const;
  WaitGraph::Node queue_node(WaitGraph& graph) const;
  std::vector<bool> live_tokens() const;
  void describe_warp(WaitGraph& graph, std::uint32_t warp, Cycle now) const;
  void describe_ready(WaitGraph& graph, std::uint32_t warp, WaitGraph::Node node, Cycle now) const;
  void describe_fence(WaitGraph& graph, std::uint32_t warp, WaitGraph::Node node) const;
  void describe_counters(WaitGraph& graph, std::uint32_t warp, WaitGraph::Node node, std::uint32_t line,
                         Cycle now) const;
  void describe_holders(WaitGraph& graph, std::uint32_t warp, WaitGraph::Node node, std::uint8_t counter) const;
  void describe_time(WaitGraph& graph, std::uint32_t warp, WaitGraph::Node node) const;
  void describe_operations(WaitGraph& graph, std::uint32_t warp, WaitGraph::Node node, const char* why) const;
  void describe_flights(WaitGraph& graph) const;
  std::uint8_t counters_waited_for(std::uint32_t warp, std::uint32_t line, Cycle now) const;
  const StaticInstruction* held_by(const Warp& warp, std::uint32_t& line) const;

  // accounts.cpp
  void update(std::uint32_t warp, Cycle now);
  void charge(Warp& warp, Cycle now);
  void leave_ready(std::uint32_t warp);
  void wake_at(std::uint32_t warp, Cycle at, Cycle now);
  void wake(Cycle now);
  StallReason slot_reason(Cycle now) const;
  void find_next_event(Cycle now);

  WarpName name(std::uint32_t warp) const { return {sm_, slot(warp), warps_[warp].block, warps_[warp].number}; }
  WarpSlot slot(std::uint32_t warp) const {
    return WarpSlot(static_cast<std::uint8_t>(warp * config_.processing_blocks + number_));
  }
  const StaticInstruction& front(std::uint32_t warp) const { return (*code_)[buffers_[warp].front().index]; }
  Occupied& input(Resource r);
  const Occupied& input(Resource r) const { return const_cast<ProcessingBlock*>(this)->input(r); }

  const config::Sm& config_;
  const std::uint8_t number_;
  const StaticCode* code_ = nullptr;
  PipelineObserver* observer_ = nullptr;
  LoadStoreUnit* load_store_ = nullptr;
  SmId sm_;
  std::unique_ptr<WarpScheduler> scheduler_;
  BarrierUnit& barriers_;
  FenceUnit& fences_;
  StallTable& stalls_;

  std::vector<Warp> warps_;
  std::vector<InstructionBuffer> buffers_;
  std::vector<Scoreboard> scoreboards_;
  ScheduleView view_;
  bool last_yields_ = false;  ///< what issued last did

  FrontEnd front_end_;
  ConstantCache constants_;
  RegisterFile registers_;
  MemoryQueue memory_queue_;
  std::array<Unit, kResources> own_units_{};
  std::array<Pipe, kResources> pipes_{};
  Occupied no_input_;  ///< never busy: NOPs and the like

  std::array<WarpMask, kResources> ready_{};
  std::array<std::uint64_t, kResources> dispatch_{};  ///< cycles in which Control was held and the resource free
  std::uint32_t present_ = 0;                         ///< resources that ready warps want
  Cycle control_free_;                                ///< the next issue, as far as Control and Allocate go
  Cycle last_allocate_;

  TimingWheel<Event> events_;
  std::array<WarpMask, 64> wake_{};
  std::uint64_t wake_slots_ = 0;
  Cycle next_event_ = kNever;

  std::vector<InFlight> in_flight_;
  std::vector<std::uint32_t> free_tokens_;
  bool forgets_ = false;
  std::vector<std::uint32_t> ended_;
  std::vector<ClockRead> clock_reads_;

  IssueSlots slots_;
  std::uint32_t resident_ = 0;
  std::uint64_t issued_ = 0, warp_cycles_ = 0;
  std::array<std::uint64_t, kResources> issued_to_{};

  std::unique_ptr<Async> async_;  ///< apart from what every cycle needs
};

}  // namespace sassim::arch
