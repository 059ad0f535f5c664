// SPDX-License-Identifier: Apache-2.0
// Where a live warp goes on. Fetch goes on in the code, behind branches too; what it brought in vain is lost.
#include "arch/sm/processing_block.h"

namespace sassim::arch {

void ProcessingBlock::follow_program(std::uint32_t number, Cycle now) {
  Warp& warp = warps_[number];
  InstructionBuffer& buffer = buffers_[number];
  warp.issued_line = buffer.front().index;
  warp.issued_mask = buffer.front().active;
  buffer.pop();
  if (warp.hold != Hold::barrier) return find_path(number, now);
  // Who goes on behind a barrier of the block is known when it opens.
  buffer.forget_path();
  if (warp.redirected || buffer.to_fetch() == nullptr) return;
  warp.line = warp.issued_line + 1;
  want_fetch(number);
}

/// Of what the warp issued last, finds what comes next.
void ProcessingBlock::find_path(std::uint32_t number, Cycle now) {
  Warp& warp = warps_[number];
  InstructionBuffer& buffer = buffers_[number];
  const StaticInstruction& instruction = (*code_)[warp.issued_line];
  switch (buffer.go_on(warp.issued_mask, instruction.branches)) {
    case InstructionBuffer::Path::unknown:
      return;
    case InstructionBuffer::Path::ended:
      front_end_.redirect(number);
      return drain(number, now);
    case InstructionBuffer::Path::elsewhere:
      front_end_.redirect(number);
      warp.redirected = true;
      break;
    case InstructionBuffer::Path::follows:
      // A branch backward that was not taken: nothing has been lost but time.
      if (buffer.fetched() == 0 && instruction.fetch_after == 0) warp.redirected = false;
      break;
  }
  warp.line = buffer.front().index;
  if (warp.redirected)
    resume_later(number, instruction, now);
  else
    want_fetch(number);
}

}  // namespace sassim::arch
