// SPDX-License-Identifier: Apache-2.0
// The named barriers of the thread blocks on an SM. Warps arrive in any order; the last one lets all go.
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
  /// A warp is at barrier `id` from `now` on, which may lie ahead. `expected` warps open it; 0: all that have not
  /// ended. With `waits` it is released later.
  void arrive(std::uint32_t place, std::uint32_t id, std::uint32_t expected, bool waits, WarpSlot warp, Cycle now);
  /// A warp has ended: barriers that wait for the whole block wait for one less.
  void retire(std::uint32_t place, Cycle now);

  Cycle next_event() const { return releases_.next(); }
  /// Calls `take(WarpSlot)` for every warp that may go on at `now`.
  template <class Take>
  void pop(Cycle now, Take take) {
    releases_.pop(now, take);
  }
  /// A barrier at which warps wait: `arrived` of `needed`, of a thread block that has `alive` warps left.
  struct Closed {
    std::uint32_t place, id, arrived, needed, alive;
    const std::vector<WarpSlot>& waiting;
  };
  /// Calls `visit(Closed)`: for the report of a run that is stuck.
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
  /// How many have arrived and how many are expected: for the report of a run that is stuck.
  std::array<std::uint32_t, 2> state(std::uint32_t place, std::uint32_t id) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(blocks_, releases_);
  }

 private:
  struct Barrier {
    std::uint32_t arrived = 0, expected = 0;
    Cycle latest;  ///< of the arrivals
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
