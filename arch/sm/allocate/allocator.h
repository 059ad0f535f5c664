// SPDX-License-Identifier: Apache-2.0
// The allocator of an SM, which gives thread blocks their places on it: it knows which ones arrive, places their warps
// in the processing blocks, and finds out when a block ends.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/block/processing_block.h"
#include "arch/sm/code/launch.h"
#include "arch/sm/sync/sm_sync.h"
#include "sim/config/forward.h"
#include "sim/stats/counter_values.h"
#include "sim/trace/kernel.h"

namespace sassim::arch {

class Allocator {
 public:
  using Parts = std::vector<std::unique_ptr<ProcessingBlock>>;
  /// A thread block that is on the SM.
  struct Resident {
    std::shared_ptr<const trace::BlockTrace> trace;
    BlockId id;
    std::uint32_t warps_left = 0;
    LaunchIndex launch = {};

    template <class Archive>
    void state(Archive& archive) {
      archive(id, warps_left);
    }
  };
  /// The end of a thread block.
  struct Completion {
    BlockId block;
    Cycle time;
    LaunchIndex launch = {};
  };

  /// Places warps in `parts`, the processing blocks, and reports new thread blocks to `sync`.
  Allocator(const config::GpuConfig& config, SmId sm, Parts& parts, SmSync& sync);

  /// The SM holds up to `blocks` thread blocks of this kernel.
  void start_kernel(std::uint32_t blocks);
  /// A thread block starts at `at`.
  void expect(std::shared_ptr<const trace::BlockTrace> block, BlockId id, Cycle at, const BlockArrival& how = {}) {
    arrivals_.push_back({std::move(block), id, at, how});
  }
  const BlockArrival& next_how() const { return arrivals_.front().how; }
  /// The next thread block arrives at `at`, later than expect() said.
  void put_off(Cycle at) { arrivals_.front().at = at; }
  Cycle next_arrival() const { return arrivals_.empty() ? kNever : arrivals_.front().at; }
  /// Starts the thread block that arrives next.
  void start_next(Cycle now) {
    start_block(arrivals_.front(), now);
    arrivals_.pop_front();
  }
  /// Removes the warps that have ended at `now` from the processing blocks.
  void collect(Cycle now);

  /// Thread blocks that are resident.
  std::uint32_t resident_blocks() const { return resident_blocks_; }
  /// Cycles with at least one resident thread block before `now`.
  std::uint64_t active_cycles_until(Cycle now) const {
    return active_cycles_ + (resident_blocks_ != 0 ? now.value - active_since_.value : 0);
  }
  /// Thread blocks that are resident or will arrive.
  std::uint32_t blocks() const { return resident_blocks_ + static_cast<std::uint32_t>(arrivals_.size()); }
  /// Thread blocks that ended since the caller cleared this list, in order of time.
  std::vector<Completion>& completions() { return completions_; }
  const Resident& resident(std::uint32_t place) const { return residents_[place]; }
  /// Calls `visit(warp)` for each warp of processing block `part` that belongs to the thread block in `place`.
  template <class Visit>
  void each_warp(std::uint32_t place, std::size_t part, Visit visit) const {
    for (WarpIndex warp; warp < warps_[part].size(); ++warp)
      if (warps_[part][warp] == place + 1) visit(warp);
  }
  void report(stats::CounterValues& values, Cycle now) const;
  using FindBlock = std::function<std::shared_ptr<const trace::BlockTrace>(BlockId)>;
  /// Call it after loading: finds the thread blocks that are resident or will arrive.
  void attach(const FindBlock& find);

  /// Without the thread blocks themselves, which attach() sets after loading.
  template <class Archive>
  void state(Archive& archive) {
    archive(arrivals_, residents_, warps_, resident_blocks_, age_, block_age_, next_part_, next_warp_, active_since_);
    archive(active_cycles_, blocks_done_, completions_);
  }

 private:
  struct Arrival {
    std::shared_ptr<const trace::BlockTrace> trace;
    BlockId id;
    Cycle at;
    BlockArrival how = {};

    template <class Archive>
    void state(Archive& archive) {
      archive(id, at);
    }
  };
  void start_block(Arrival& arrival, Cycle now);
  std::size_t first_part() const;
  std::uint32_t free_warp(std::size_t part) const;

  const config::Occupancy& config_;
  SmId sm_;
  Parts& parts_;
  SmSync& sync_;
  std::deque<Arrival> arrivals_;
  std::vector<Resident> residents_;                ///< by place
  std::vector<std::vector<std::uint32_t>> warps_;  ///< [processing block][warp]: place + 1; 0: free
  std::uint32_t resident_blocks_ = 0;
  std::uint64_t age_ = 0, block_age_ = 0;
  std::size_t next_part_ =
      0;             ///< the processing block where the next thread block starts, among those with equally many warps
  Cycle next_warp_;  ///< when the next warp can be placed
  Cycle active_since_;
  std::uint64_t active_cycles_ = 0, blocks_done_ = 0;
  std::vector<Completion> completions_;
};

}  // namespace sassim::arch
