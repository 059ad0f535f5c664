// SPDX-License-Identifier: Apache-2.0
// The named barriers of the thread blocks on an SM. Warps arrive in any order; the last arrival releases all of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/common/timing_wheel.h"
#include "sim/base/types.h"

namespace sassim::arch {

class BarrierUnit {
 public:
  static constexpr std::uint32_t kBarriers = 16;

  explicit BarrierUnit(std::uint32_t latency) : latency_(latency) {}

  void start_block(std::uint32_t place, std::uint32_t warps);
  /// A warp arrives at barrier `id` at `now`, which may lie ahead. The barrier opens when `expected` warps have
  /// arrived; 0: all warps of the block that have not ended. With `waits`, pop() later releases the warp.
  void arrive(std::uint32_t place, std::uint32_t id, std::uint32_t expected, bool waits, WarpSlot warp, Cycle now);
  /// A warp has ended: barriers that wait for the whole block expect one warp less.
  void retire(std::uint32_t place, Cycle now);

  Cycle next_event() const { return releases_.next(); }
  /// Calls `take(WarpSlot)` for every warp that may continue at `now`.
  template <class Take>
  void pop(Cycle now, Take take) {
    releases_.pop(now, take);
  }
  /// A barrier at which warps wait: `arrived` of `needed` have arrived; its thread block has `alive` warps left.
  struct Closed {
    std::uint32_t place, id, arrived, needed, alive;
    const std::vector<WarpSlot>& waiting;
  };
  /// Calls `visit(Closed)` for each barrier at which warps wait; for the report of a run that does not end.
  template <class Visit>
  void each_closed(Visit visit) const {
    for (std::uint32_t place = 0; place < blocks_.size(); ++place)
      for (std::uint32_t id = 0; id < kBarriers; ++id) {
        const Barrier& barrier = blocks_[place].barriers[id];
        if (barrier.waiting.empty()) continue;
        const auto [arrived, needed] = state(place, id);
        visit(Closed{place, id, arrived, needed, blocks_[place].alive, barrier.waiting});
      }
  }
  /// Warps that have arrived and warps that are needed; for the report of a run that does not end.
  std::array<std::uint32_t, 2> state(std::uint32_t place, std::uint32_t id) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(blocks_, releases_);
  }

 private:
  struct Barrier {
    std::uint32_t arrived = 0, expected = 0;
    Cycle latest;  ///< time of the last arrival
    std::vector<WarpSlot> waiting;
  };
  struct Block {
    std::uint32_t alive = 0;
    std::array<Barrier, kBarriers> barriers;
  };
  void open_if_complete(Block& block, Barrier& barrier, Cycle now);

  std::uint32_t latency_;
  std::vector<Block> blocks_;
  TimingWheel<WarpSlot> releases_;
};

}  // namespace sassim::arch
