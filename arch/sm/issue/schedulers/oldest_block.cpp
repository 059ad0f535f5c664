// SPDX-License-Identifier: Apache-2.0
// Warps of the thread block that has been longest on the SM come first. A warp continues as long as it can issue; then,
// or when a pipe or a queue has no room for it, the next warp of its block has its turn. Instructions are fetched for
// the last warp of that block, as far as its buffer has room (H200: h200/warp-scheduling.md).
#include "arch/sm/issue/warp_scheduler.h"

namespace sassim::arch {
namespace {

class OldestBlock : public WarpScheduler {
 public:
  /// The warp that issued last, unless it was refused; else the one before that of its thread block which issued last,
  /// by place: two that have a pipe when the older blocks leave it end together.
  std::uint32_t pick(WarpMask eligible, const ScheduleView& view) const override {
    const WarpMask mask = oldest_block(eligible, view);
    if (!view.refused && in(mask, view.last)) return view.last;
    const std::uint32_t last = view.last_of[view.place[std::countr_zero(mask)]];
    const WarpMask before = last < kMaxBlockWarps ? mask & ((WarpMask{1} << last) - 1) : 0;
    return 31 - static_cast<std::uint32_t>(std::countl_zero(before != 0 ? before : mask));
  }
  std::uint32_t fetch(WarpMask wanted, const ScheduleView& view) const override {
    return youngest(oldest_block(wanted, view), view);
  }
};

const Registered<WarpScheduler, OldestBlock> oldest_block_registered("oldest_block");

}  // namespace
}  // namespace sassim::arch
