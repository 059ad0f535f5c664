// SPDX-License-Identifier: Apache-2.0
// Thread blocks that have ended but still hold their places: the GPU hears of one end every few cycles, from the SMs in
// turn, and only then frees the place for the next block. Which end it hears of depends only on those that have
// happened by then, so results do not depend on the order in which SMs are simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "arch/common/indices.h"
#include "sim/base/types.h"

namespace sassim::arch {

struct BlockEnd {
  Cycle time;  ///< when the block ended
  std::size_t sm;
  LaunchIndex launch;
  Cycle registered;  ///< when the GPU heard of it
};

class BlockEnds {
 public:
  /// `turns`: all SMs, in the order of their turns. `interval`: cycles from hearing of one end to hearing of the next.
  BlockEnds(std::vector<std::size_t> turns, double interval);

  void clear();
  /// The ends of an SM are added in the order of time.
  void add(std::size_t sm, Cycle time, LaunchIndex launch);
  /// Takes the next end of which the GPU hears before `known`. Call it only when all ends before `known` have been
  /// added.
  std::optional<BlockEnd> dequeue(Cycle known);
  /// The GPU hears of no end before this cycle, unless an earlier one is added. kNever: none waits.
  Cycle next() const;

  template <class Archive>
  void state(Archive& archive) {
    archive(waiting_, count_, turn_, free_);
  }

 private:
  struct Waiting {
    Cycle time;
    LaunchIndex launch;
  };
  /// When the GPU hears of the next end, of those that have been added.
  double due() const;

  std::vector<std::size_t> turns_;
  double interval_;
  std::vector<std::deque<Waiting>> waiting_;  ///< by turn
  std::vector<std::size_t> turn_of_;          ///< by SM
  std::uint64_t count_ = 0;                   ///< of all SMs
  std::uint64_t turn_ = 0;                    ///< the first that is looked at
  double free_ = 0;                           ///< when the GPU can hear of the next one
};

}  // namespace sassim::arch
