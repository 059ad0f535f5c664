// SPDX-License-Identifier: Apache-2.0
// An SM as the rough clocks know it (timing.h): its L1, its way out, on which requests follow each other in the order
// in which they came, and behind it a way to each group of the L2's slices. A load or an atomic operation that the L2
// does not take yet keeps all behind it waiting, a store what goes to the same group: the sectors of a load that have
// their way free are read ahead of the others. Stores are posted: their warps go on, and other SMs see them when they
// have had their turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/emu/order/rough_l1.h"
#include "sim/emu/order/rough_memory.h"

namespace sassim::emu {

struct Warp;

struct PostedStore {
  struct Lane {
    std::byte* at;
    std::uint64_t address;
    std::array<std::byte, 16> bytes;
  };
  std::vector<Lane> lanes;
  unsigned bytes = 0;      ///< of each
  std::uint64_t time = 0;  ///< when it was posted
};

struct RoughSm {
  struct Waiting {
    Warp* warp = nullptr;  ///< nullptr: a store
    PostedStore store = {};
  };
  /// Accesses that wait for each other, in the order in which they came.
  struct Queue {
    std::uint64_t free = 0;  ///< when the next may go
    bool next = false;       ///< it has been chosen: a warp that is admitted, or the first of those who wait
    std::deque<Waiting> waiting;

    bool busy(std::uint64_t now) const { return next || !waiting.empty() || free > now; }
  };

  RoughL1 l1;
  bool halves = false, upper = false;                  ///< the chip has two halves; where the SM is
  std::array<Queue, 1 + RoughMemory::kGroups> queues;  ///< the way out, then those to each group

  Queue& out() { return queues[0]; }
  static std::size_t way_of(std::uint64_t address) { return 1 + RoughMemory::group_of(address); }
};

}  // namespace sassim::emu
