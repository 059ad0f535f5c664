// SPDX-License-Identifier: Apache-2.0
// The part of the issue stage that finds the next instruction of a live warp. Fetch continues with the following lines
// even past a branch; instructions that it fetched from the wrong path are dropped.
#include "arch/sm/issue/issue_stage.h"

namespace sassim::arch {

void IssueStage::follow_program(WarpIndex warp_index, Cycle now) {
  ResidentWarp& warp = state_.warps[warp_index];
  InstructionBuffer& buffer = state_.buffers[warp_index];
  warp.live.line = buffer.front().index;
  warp.live.mask = buffer.front().active;
  buffer.pop();
  if (warp.hold != Hold::barrier) return find_path(warp_index, now);
  // Which threads continue after a barrier of the block is known only when the barrier opens.
  buffer.await_path();
  fetch_behind(warp_index);
}

/// While it is not known which threads go on, the lines behind the last instruction are fetched.
void IssueStage::fetch_behind(WarpIndex warp_index) {
  ResidentWarp& warp = state_.warps[warp_index];
  if (warp.flow.redirected || state_.buffers[warp_index].to_fetch() == nullptr) return;
  warp.line = CodeLine(warp.live.line + 1);
  to_.fetch.want(warp_index);
}

void IssueStage::find_path(WarpIndex warp_index, Cycle now) {
  ResidentWarp& warp = state_.warps[warp_index];
  InstructionBuffer& buffer = state_.buffers[warp_index];
  const StaticInstruction& instruction = (*state_.code)[warp.live.line];
  switch (buffer.go_on(warp.live.mask, instruction.flow.branches, now)) {
    case InstructionBuffer::Path::unknown:
      if (buffer.wakes() != kNever) fetch_behind(warp_index);
      return;
    case InstructionBuffer::Path::ended:
      to_.fetch.redirect(warp_index);
      return drain(warp_index, now);
    case InstructionBuffer::Path::elsewhere:
      to_.fetch.redirect(warp_index);
      warp.flow.redirected = true;
      break;
    case InstructionBuffer::Path::follows:
      // A backward branch that was not taken: the buffered path is right, and only time was lost.
      if (buffer.fetched() == 0 && instruction.flow.fetch_after == 0) warp.flow.redirected = false;
      break;
  }
  warp.line = buffer.front().index;
  if (!warp.flow.redirected) return to_.fetch.want(warp_index);
  resume_later(warp_index, instruction, warp.live.mask, now);
}

}  // namespace sassim::arch
