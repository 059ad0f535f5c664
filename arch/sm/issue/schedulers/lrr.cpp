// SPDX-License-Identifier: Apache-2.0
// Picks the next eligible warp, in order of warp number, after the one that issued last.
#include "arch/sm/warps/warp_scheduler.h"

namespace sassim::arch {
namespace {

class LooseRoundRobin : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    const WarpMask after = view.last + 1 < kMaxBlockWarps ? eligible & ~((2u << view.last) - 1) : 0;
    return WarpIndex(std::countr_zero(after != 0 ? after : eligible));
  }
};

const Registered<WarpScheduler, LooseRoundRobin> loose_round_robin_registered("lrr");

}  // namespace
}  // namespace sassim::arch
