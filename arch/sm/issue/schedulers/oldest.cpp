// SPDX-License-Identifier: Apache-2.0
// Picks the oldest eligible warp.
#include "arch/sm/warps/warp_scheduler.h"

namespace sassim::arch {
namespace {

class Oldest : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override { return oldest(eligible, view); }
};

const Registered<WarpScheduler, Oldest> oldest_registered("oldest");

}  // namespace
}  // namespace sassim::arch
