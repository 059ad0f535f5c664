// SPDX-License-Identifier: Apache-2.0
// State that the live warps of one SM share among themselves: the launch as the emulator sees it, the SM's clock,
// accesses to global memory that are in flight.
#pragma once

#include <string>
#include <vector>

#include "sim/emu/core/emulator.h"
#include "sim/emu/core/global_access.h"
#include "sim/emu/core/machine.h"

namespace sassim::live {

class LiveSm final : public emu::ClockSource {
 public:
  struct Printed {
    Cycle time;
    std::string text;
  };

  LiveSm(const emu::Grid& launch, SmId id, Cycle clock, std::uint64_t clock_hz);
  LiveSm(const LiveSm&) = delete;
  LiveSm& operator=(const LiveSm&) = delete;

  std::uint64_t read(const emu::TimeRead& wanted) override;
  /// Rises whenever a warp does something that others, or the user, can see, or looks at the clock.
  std::uint64_t progress() const {
    return accesses.changes() + grid.changes + printed.size() + clock_reads_ + blocks_done;
  }

  emu::Grid grid;
  emu::AccessPool accesses;
  std::vector<Printed> printed;
  Cycle now;  ///< of the instruction that issues
  std::uint64_t blocks_done = 0;

 private:
  emu::RunOptions options_;
  SmId id_;
  Cycle clock_;
  std::uint64_t clock_hz_;
  std::uint64_t clock_reads_ = 0;
};

}  // namespace sassim::live
