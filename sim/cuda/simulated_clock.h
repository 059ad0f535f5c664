// SPDX-License-Identifier: Apache-2.0
// Clock back-annotation: the second functional run reads the clock values that the timing model recorded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "arch/gpu.h"
#include "sim/emu/core/emulator.h"

namespace sassim::cuda {

class SimulatedClock : public arch::ClockObserver, public emu::ClockSource {
 public:
  /// `start`: the SM cycle at which this launch begins; `hz` converts cycles to nanoseconds.
  SimulatedClock(Cycle start, std::uint64_t hz) : start_(start), hz_(hz) {}

  void clock_read(BlockId block, std::uint32_t warp, std::uint32_t instruction, Cycle cycle, SmId sm) override;
  void block_placed(BlockId block, SmId sm) override { placed_[block] = sm; }
  std::uint64_t read(const emu::TimeRead&) override;
  void started_again() override;

  /// Empty, or a read of the second run that the first run did not have: the control flow depended on the clock.
  const std::string& mismatch() const { return mismatch_; }

 private:
  struct Read {
    std::uint32_t instruction;
    Cycle cycle;
  };
  struct WarpReads {
    std::vector<Read> reads;
    std::size_t next = 0;
  };
  Cycle start_;
  std::uint64_t hz_;
  std::map<std::pair<BlockId, std::uint32_t>, WarpReads> warps_;
  std::map<BlockId, SmId> placed_;
  std::string mismatch_;
};

}  // namespace sassim::cuda
