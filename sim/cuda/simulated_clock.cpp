// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/simulated_clock.h"

#include <fmt/format.h>

namespace sassim::cuda {

void SimulatedClock::clock_read(BlockId block, std::uint32_t warp, std::uint32_t instruction, Cycle cycle, SmId) {
  warps_[{block, warp}].reads.push_back({instruction, cycle});
}

std::uint64_t SimulatedClock::read(const emu::TimeRead& wanted) {
  if (wanted.kind == emu::TimeKind::sm_id) {
    const auto found = placed_.find(wanted.block);
    return found == placed_.end() ? 0 : found->second.value;
  }
  if (wanted.kind == emu::TimeKind::warp_id) return wanted.warp;
  WarpReads& warp = warps_[{wanted.block, wanted.warp}];
  // The model records every clock instruction that issued, even if its guard was false; the functional run reads only
  // clocks with a true guard.
  while (warp.next < warp.reads.size() && warp.reads[warp.next].instruction != wanted.index) ++warp.next;
  if (warp.next == warp.reads.size()) {
    if (mismatch_.empty())
      mismatch_ = fmt::format("block {} warp {} reads the clock at pc {:#x} in the second run only", wanted.block.value,
                              wanted.warp, wanted.index * kInstructionBytes);
    return start_.value;
  }
  const std::uint64_t cycle = (start_ + warp.reads[warp.next++].cycle).value;
  if (wanted.kind == emu::TimeKind::clock) return cycle;
  return static_cast<std::uint64_t>(static_cast<double>(cycle) * 1e9 / static_cast<double>(hz_));
}

void SimulatedClock::started_again() {
  mismatch_.clear();
  for (auto& [warp, reads] : warps_) reads.next = 0;
}

}  // namespace sassim::cuda
