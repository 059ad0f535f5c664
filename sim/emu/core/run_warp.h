// SPDX-License-Identifier: Apache-2.0
// The interpreter's inner loops: instructions of a fragment, fragments of a warp.
#pragma once

#include <cstdint>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

struct Counters {
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
};

/// Runs a warp for one turn; false when it could not do anything.
bool run_warp(Context&, Counters&);
/// The same for a kernel whose warps compete (timing.h): the turn also ends where the warp waits for a result.
bool run_warp_timed(Context&, Counters&);

}  // namespace sassim::emu
