// SPDX-License-Identifier: Apache-2.0
// The emulator's inner loops, instructions of a fragment and fragments of a warp, and what step_warp.h shares with
// them.
#pragma once

#include <cstdint>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

struct Counters {
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
};

/// Instructions that one fragment of a diverged warp runs, if nothing stops it, before other fragments of the warp.
inline constexpr std::uint64_t kFragmentTurn = 4096;

/// Warp instructions that a block runs before the next block starts. Most blocks finish in this turn. The turn is
/// halved each time that a block does not, so that blocks that wait for later blocks soon meet them.
inline constexpr std::uint64_t kBlockTurn = std::uint64_t{1} << 20;

/// Throws the fault of a fragment whose PC is outside the kernel's code.
[[noreturn]] void left_the_code(Context&);
inline void check_pc(Context& context) {
  if (context.fragment->pc >= context.grid.program->ops.size()) left_the_code(context);
}
/// Fills in a step except for its addresses. `active`: the threads that execute the instruction; `mask`: those whose
/// guard is true.
inline void describe_step(const MicroOp& op, std::uint32_t active, std::uint32_t mask, trace::Step& step) {
  step.index = op.index;
  step.active = LaneMask(active);
  step.lanes = LaneMask(op.memory || op.masked ? mask : active);
  step.has_addresses = op.memory;
  step.detail.clear();
  step.space = static_cast<isa::Space>(op.memory ? op.space : 0);
}

/// Runs a warp for one turn; false when it could not do anything.
bool run_warp(Context&, Counters&);

}  // namespace sassim::emu
