// SPDX-License-Identifier: Apache-2.0
// Fetches an instruction (or a group of `fetch_width`) of one warp per cycle into the instruction buffer of that warp.
#include "arch/sm/fetch/fetch_stage.h"

#include "sim/config/groups/sm.h"

namespace sassim::arch {

FetchStage::FetchStage(BlockState& state, InstructionCache& instructions)
    : state_(state), front_end_(state.config.front_end, instructions, state.part) {}

void FetchStage::want(WarpIndex warp) {
  const InstructionBuffer& buffer = state_.buffers[warp];
  if (buffer.fetched() < state_.config.front_end.instruction_buffer && buffer.to_fetch() != nullptr)
    front_end_.want(warp);
}

[[gnu::flatten]] void FetchStage::cycle(Cycle now) {
  front_end_.dequeue_fills(now);
  if (front_end_.idle()) return;
  const FrontEnd::Fetched fetched = front_end_.fetch(*state_.scheduler, state_.view, state_.buffers, now);
  if (fetched.warp == kMaxBlockWarps) return;
  ResidentWarp& warp = state_.warps[fetched.warp];
  InstructionBuffer& buffer = state_.buffers[fetched.warp];
  const bool first = buffer.fetched() == 0;
  for (bool more = true; more;) {
    front_end_.withdraw(fetched.warp);
    const InstructionBuffer::Entry& entry = *buffer.to_fetch();
    const CodeLine line = entry.index;
    const LaneMask active = entry.active;
    const bool follows = buffer.fetch(fetched.ready);
    const InstructionBuffer::Entry* next = buffer.to_fetch();
    const StaticInstruction& instruction = (*state_.code)[line];
    const bool diverges = instruction.flow.branches && next != nullptr && next->active != active;
    warp.flow.redirected =
        !follows || diverges || instruction.flow.fetch_after != 0 || (buffer.live() && instruction.flow.leaves);
    if (!warp.flow.redirected) want(fetched.warp);
    more =
        (line - buffer.first_line() + 1) % state_.config.front_end.fetch_width != 0 && front_end_.wants(fetched.warp);
    if (more) front_end_.fetched_next();
  }
  if (first) state_.agenda.ask_again(fetched.warp, fetched.ready, now);
}

}  // namespace sassim::arch
