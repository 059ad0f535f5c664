// SPDX-License-Identifier: Apache-2.0
// Gives thread blocks to SMs: the first ones in the order of block_order.h until all SMs are full, then one to each SM
// where a block has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "arch/block_order.h"
#include "arch/common/component.h"
#include "arch/sm/sm.h"
#include "sim/config/gpu_config.h"
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
  /// `lookahead`: the longest epoch. At least this long passes between the end of a block and the start of the next
  /// one, so that placement does not depend on where epochs end.
  BlockScheduler(const config::Occupancy& limits, const config::Launch& launch, std::vector<Sm*> sms, Cycle lookahead);

  /// Places the first blocks from `now` on, at most `per_sm` on each SM. Calls `placed` for every placement.
  void start(trace::BlockSource& source, std::uint32_t per_sm, Cycle now,
             std::function<void(BlockId, SmId)> placed = {});
  void exchange(Cycle now) override;

  bool done() const { return completed_ == total_; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t total() const { return total_; }
  const LaunchPhases& phases() const { return phases_; }
  /// A thread block that has been placed, by its place in the grid.
  std::shared_ptr<const trace::BlockTrace> find(BlockId id);
  /// When the GPU has noted the end of the last block so far.
  Cycle last_end() const { return last_end_; }

  /// After start() with the same source.
  template <class Archive>
  void state(Archive& archive) {
    archive(retire_free_, next_launch_, next_, total_, completed_, last_end_, phases_, thinning_ends_, thinning_sum_);
  }

 private:
  void place(Sm& sm, Cycle at, std::uint32_t interval, std::uint32_t warp_interval);
  void retire(Cycle end);

  config::Occupancy limits_;
  std::vector<std::uint64_t> delay_;  ///< per SM: cycles from the end of a block to the start of the next one
  double retire_interval_;
  double retire_free_ = 0;
  double sm_interval_;
  std::vector<Sm*> sms_;
  BlockOrder order_;                ///< of `sms_`, for the first blocks
  std::vector<Cycle> next_launch_;  ///< per SM: the earliest next start of a block
  trace::BlockSource* source_ = nullptr;
  std::function<void(BlockId, SmId)> placed_;
  std::uint64_t next_ = 0, total_ = 0, completed_ = 0;
  Cycle last_end_;
  LaunchPhases phases_;
  std::uint64_t thinning_ends_ = 0,
                thinning_sum_ = 0;  ///< ends without a successor: their number and the sum of their cycles
  void thin(Cycle end);
  struct End {
    Cycle time;
    std::size_t sm;
  };
  std::vector<End> ends_;
  std::map<BlockId, BlockId> placed_as_;  ///< of find(), where a trace is a slice: from a place in the grid to a number
};

}  // namespace sassim::arch
