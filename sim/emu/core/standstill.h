// SPDX-License-Identifier: Apache-2.0
// Detects launches that never end: warps that wait for a flag, a lock or a queue execute instructions forever.
//
// A watchdog that only counted instructions would also end long computations. This one waits until for a while no warp
// has changed memory, printed, read a clock or ended. It then compares the states of each warp: a warp whose registers,
// predicates and PCs become what they were before, while memory stays as it is, repeats itself forever. When all warps
// do so, the launch will never end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

class Standstill {
 public:
  /// `patience`: instructions of each resident warp without a change after which the warps are compared; 0: never.
  explicit Standstill(std::uint64_t patience) : patience_(patience) {}

  /// `changes` rises with every effect outside of a warp; `instructions` are those of all warps so far. True when the
  /// resident blocks will never do anything else again.
  bool look(std::uint64_t changes, std::uint64_t instructions, std::span<const Block* const> blocks);
  std::uint64_t idle(std::uint64_t instructions) const { return instructions - since_; }

 private:
  struct Seen {
    std::uint64_t state = 0, looks = 0, next = 1;  ///< the state is replaced at look 1, 2, 4, 8, ...
    std::uint64_t executed = 0;                    ///< instructions at the last look
    bool returned = false;                         ///< the warp was in a state for the second time
  };

  std::uint64_t patience_;
  std::uint64_t changes_ = 0, since_ = 0;
  std::vector<Seen> seen_;  ///< by warp of the resident blocks
};

}  // namespace sassim::emu
