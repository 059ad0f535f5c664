// SPDX-License-Identifier: Apache-2.0
// Prefers warps of the thread block that has been on the SM for the longest time (H200:
// validation/measured/h200/instructions.md#warp-scheduling). Among them it picks the warp that issued last, else the
// youngest (MICRO 2025, measured with one block on Turing and Ampere).
#include "arch/sm/warps/warp_scheduler.h"

namespace sassim::arch {
namespace {

class OldestBlockYoungest : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    const WarpMask mask = oldest_block(eligible, view);
    return in(mask, view.last) ? view.last : youngest(mask, view);
  }
  WarpIndex fetch(WarpMask wanted, const ScheduleView& view) const override { return pick(wanted, view); }
};

const Registered<WarpScheduler, OldestBlockYoungest> oldest_block_youngest_registered("oldest_block_youngest");

}  // namespace
}  // namespace sassim::arch
