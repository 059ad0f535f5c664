// SPDX-License-Identifier: Apache-2.0
// Checks that a processing block can hold the configured warps and buffers, and forgets a warp that has ended.
#include "arch/sm/warps/block_state.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

BlockState::BlockState(const config::Sm& sm_config, std::uint8_t block_number)
    : config(sm_config),
      part(block_number),
      parts(sm_config.processing_blocks),
      scheduler(WarpSchedulers::instance().make(sm_config.issue.scheduler)) {
  const std::uint32_t blocks = std::max(1u, config.processing_blocks);
  const std::uint32_t count = (config.occupancy.warps + blocks - 1) / blocks;
  if (count > kMaxBlockWarps)
    throw InputError("sm.occupancy.warps = {}: this model holds at most {} warps per SM with sm.processing_blocks = {}",
                     config.occupancy.warps, kMaxBlockWarps * blocks, blocks);
  if (config.front_end.instruction_buffer == 0 || config.front_end.instruction_buffer >= InstructionBuffer::kCapacity)
    throw InputError("sm.front_end.instruction_buffer = {}: expected 1 to {}", config.front_end.instruction_buffer,
                     InstructionBuffer::kCapacity - 1);
  warps.resize(count);
  buffers.resize(count);
}

void BlockState::remove_resident(WarpIndex warp) {
  --resident;
  if (view.last == warp) view.last = WarpIndex(kMaxBlockWarps);
  if (youngest != warp) return;
  WarpMask left = 0;
  for (WarpIndex w; w < warps.size(); ++w)
    if (warps[w].resident) left |= WarpMask{1} << w;
  youngest = left != 0 ? arch::youngest(left, view) : WarpIndex(kMaxBlockWarps);
}

}  // namespace sassim::arch
