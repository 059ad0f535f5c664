// SPDX-License-Identifier: Apache-2.0
// Prefers warps of the thread block that has been on the SM for the longest time. A warp continues as long as it can
// issue; when it cannot, or when its pipe or queue is full, the next warp of its block gets the turn. Fetch serves the
// youngest warp of that block whose buffer has room (H200: validation/measured/h200/instructions.md#warp-scheduling).
#include "arch/sm/warps/warp_scheduler.h"

namespace sassim::arch {
namespace {

class OldestBlock : public WarpScheduler {
 public:
  /// The warp that issued last, unless it was refused. Otherwise the turn in the oldest block passes to the warp with
  /// the next lower number (after the lowest, the highest), so that warps which compete for one pipe progress at the
  /// same rate.
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    const WarpMask mask = oldest_block(eligible, view);
    if (!view.refused && in(mask, view.last)) return view.last;
    const std::uint32_t oldest = static_cast<std::uint32_t>(std::countr_zero(mask)) % kMaxBlockWarps;  // mask is not 0
    const std::uint32_t last = view.last_of[view.place[oldest]];
    const WarpMask before = last < kMaxBlockWarps ? mask & ((WarpMask{1} << last) - 1) : 0;
    return WarpIndex(31 - std::countl_zero(before != 0 ? before : mask));
  }
  WarpIndex fetch(WarpMask wanted, const ScheduleView& view) const override {
    return youngest(oldest_block(wanted, view), view);
  }
};

const Registered<WarpScheduler, OldestBlock> oldest_block_registered("oldest_block");

}  // namespace
}  // namespace sassim::arch
