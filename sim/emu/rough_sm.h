// SPDX-License-Identifier: Apache-2.0
// An SM as the rough clocks know it (timing.h): its L1, and its way to the L2, on which requests follow each other in
// the order in which they came. A request that the L2 does not take yet keeps all behind it waiting. Stores are posted:
// their warps go on, and other SMs see them when they have had their turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/emu/rough_l1.h"

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
  RoughL1 l1;
  bool halves = false, upper = false;  ///< the chip has two halves; where the SM is
  std::uint64_t memory_free = 0;       ///< when the next request may go
  bool next = false;                   ///< it has been chosen: a warp that is admitted, or the first of those who wait
  std::deque<Waiting> waiting;

  bool busy(std::uint64_t now) const { return next || !waiting.empty() || memory_free > now; }
};

}  // namespace sassim::emu
