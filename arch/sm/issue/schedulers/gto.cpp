// SPDX-License-Identifier: Apache-2.0
// Picks the warp that issued last; if it is not eligible, the oldest one (as earlier simulators assume).
#include "arch/sm/warps/warp_scheduler.h"

namespace sassim::arch {
namespace {

class GreedyOldest : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    return in(eligible, view.last) ? view.last : oldest(eligible, view);
  }
};

const Registered<WarpScheduler, GreedyOldest> greedy_oldest_registered("gto");

}  // namespace
}  // namespace sassim::arch
