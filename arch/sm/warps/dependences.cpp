// SPDX-License-Identifier: Apache-2.0
// Answers for the issue stage which dependence counter or register the next instruction of a warp still waits for.
#include "arch/sm/warps/dependences.h"

namespace sassim::arch {

Scoreboard::Answer Dependences::check(WarpIndex warp, Cycle now) const {
  const CodeLine line = state_.buffers[warp].front().index;
  if (by_name()) return scoreboards_[warp].check(state_.code->scoreboard_use(line), now);
  const StaticInstruction& instruction = (*state_.code)[line];
  const DependenceCounters& counters = state_.warps[warp].counters;
  std::uint8_t named = instruction.control.wait_mask;
  std::uint8_t pending = counters.pending(named, now);
  if (instruction.action == Action::depbar) {
    named |= static_cast<std::uint8_t>(instruction.depbar.mask | 1u << instruction.depbar.counter);
    const Cycle reads = instruction.depbar.late ? kNever : now;
    pending |= counters.pending(instruction.depbar.mask, reads);
    if (counters.value(instruction.depbar.counter, reads) > instruction.depbar.limit)
      pending |= static_cast<std::uint8_t>(1u << instruction.depbar.counter);
  }
  Scoreboard::Answer answer;
  answer.until = counters.hides(named, now) ? counters.hidden_until() : kNever;
  if (pending != 0)
    answer.block = counters.held_by_long(pending) ? Scoreboard::Block::long_latency : Scoreboard::Block::short_latency;
  return answer;
}

}  // namespace sassim::arch
