// SPDX-License-Identifier: Apache-2.0
// The GPU's block scheduler: gives thread blocks to SMs, the first ones in the order of block_order.h until all SMs are
// full, then one to each SM of which the GPU has heard that a block has ended (block_ends.h; below, such an end is
// registered). Launches that run side by side are ordered by priority, then by age. The first launch that has blocks
// left gives them to all SMs with room; the next launch gets the remaining room only when the first one has no block
// left.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "arch/common/component.h"
#include "arch/common/indices.h"
#include "arch/gpu/block_ends.h"
#include "arch/gpu/block_order.h"
#include "arch/gpu/blocks_ahead.h"
#include "arch/sm/sm.h"
#include "sim/config/forward.h"
#include "sim/config/groups/occupancy.h"
#include "sim/config/occupancy.h"
#include "sim/trace/kernel.h"

namespace sassim::arch {

/// The phases of a launch: start, full, and end. A slot is the place of one thread block on an SM.
struct LaunchPhases {
  Cycle first_start;             ///< start of the first thread block
  Cycle filled;                  ///< the last of the first blocks has started
  Cycle thinning;                ///< a block ended, and no block was left to follow it
  Cycle last_end;                ///< end of the last thread block
  std::uint64_t slots = 0;       ///< slots that had a block
  std::uint64_t idle_slots = 0;  ///< cycles for which those slots had no block, from `thinning` to `last_end`
};

class BlockScheduler final : public Exchange {
 public:
  /// `lookahead`: the longest epoch. At least this long passes between the cycle in which the end of a block is
  /// registered and the start of the next one, so that placement does not depend on where epochs end. `team`: decodes
  /// blocks ahead.
  BlockScheduler(const config::Occupancy& limits, const config::Launch& launch, std::vector<Sm*> sms, Cycle lookahead,
                 std::shared_ptr<ThreadTeam> team);

  /// Places the first blocks from `now` on, as many on each SM as fit. Calls `placed` for every placement.
  void start(trace::BlockSource& source, const config::OccupancyResult& fit, Cycle now,
             std::function<void(BlockId, SmId)> placed = {}, int priority = 0);
  /// Adds a launch beside those that run. Call it when everything before `decision` has been simulated and nothing
  /// after it. Blocks start at `from` or later, which must not be before `decision`. Smaller numbers are higher
  /// priorities.
  LaunchIndex join(trace::BlockSource& source, const config::OccupancyResult& fit, Cycle decision, Cycle from,
                   int priority);
  void exchange(Cycle now) override;
  Cycle next_event() const override { return ends_.next(); }

  /// Cycles from a registered end to the start of the next block.
  std::uint64_t delay() const { return delay_; }
  /// Leaves out the next blocks of a launch that runs alone.
  void skip(std::uint64_t blocks);
  /// The next block to be placed, of a launch that runs alone.
  std::uint64_t next_block() const { return launches_.front().next; }
  std::uint64_t skipped() const { return launches_.front().skipped; }

  bool done(LaunchIndex launch = {}) const {
    return launches_[launch].completed + launches_[launch].skipped == launches_[launch].total;
  }
  std::uint64_t completed(LaunchIndex launch = {}) const { return launches_[launch].completed; }
  std::uint64_t total(LaunchIndex launch = {}) const { return launches_[launch].total; }
  /// Of the first launch, if it has run alone.
  const LaunchPhases& phases() const { return phases_; }
  /// A thread block that has been placed, by its place in the grid.
  std::shared_ptr<const trace::BlockTrace> find(BlockId id);
  /// When the GPU has registered the end of the last block so far.
  Cycle last_end(LaunchIndex launch = {}) const { return launches_[launch].last_end; }

  /// After start() with the same source.
  template <class Archive>
  void state(Archive& archive) {
    // Launches that run side by side have no checkpoints. Of one launch, what its blocks use does not matter.
    Running& only = launches_.front();
    archive(ends_, next_launch_, only.next, only.total, only.completed, only.last_end, phases_, thinning_.count,
            thinning_.cycles);
  }

 private:
  struct Running {
    trace::BlockSource* source;
    config::OccupancyResult fit;
    int priority;
    Cycle from;  ///< the earliest start of a block
    std::uint64_t next = 0, total = 0, completed = 0, skipped = 0;
    Cycle last_end{};
    std::vector<std::uint32_t> on_sm{};  ///< blocks
  };
  /// What the blocks of an SM use.
  struct Use {
    std::uint64_t blocks = 0, warps = 0, registers = 0, shared = 0, carveout = 0;
  };
  static constexpr LaunchIndex kNone{~0u};

  LaunchIndex add(trace::BlockSource& source, const config::OccupancyResult& fit, Cycle from, int priority);
  LaunchIndex head() const;
  bool fits(const Running& launch, std::size_t sm) const;
  std::size_t emptiest(const Running& launch) const;
  void spread(LaunchIndex launch, Cycle earliest);
  void refill(std::size_t sm, Cycle registered);
  void count(Running& launch, std::size_t sm, int blocks);
  void place(LaunchIndex launch, std::size_t sm, Cycle at);
  void ended(const BlockEnd& end);
  void thin(Cycle end);

  config::Occupancy limits_;
  std::uint64_t lookahead_;
  std::uint64_t delay_;
  double sm_interval_;
  Cycle known_;  ///< everything before has been simulated
  std::vector<Sm*> sms_;
  BlockOrder order_;  ///< of `sms_`, for the first blocks
  BlockEnds ends_;
  BlocksAhead ahead_;
  std::vector<Cycle> next_launch_;  ///< per SM: the earliest next start of a block
  std::vector<Running> launches_;
  std::vector<LaunchIndex> by_rank_;  ///< launches by priority, then by age
  std::vector<Use> uses_;             ///< by SM
  std::vector<Cycle> free_from_;      ///< by SM: a block that follows the last one that ended starts no earlier
  std::function<void(BlockId, SmId)> placed_;
  LaunchPhases phases_;
  struct {
    std::uint64_t count = 0, cycles = 0;
  } thinning_;                            ///< ends without a successor: their number and the sum of their cycles
  std::map<BlockId, BlockId> placed_as_;  ///< of find(), where a trace is a slice: from a place in the grid to a number
};

}  // namespace sassim::arch
