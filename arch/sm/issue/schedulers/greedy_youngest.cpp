// SPDX-License-Identifier: Apache-2.0
// Picks the warp that issued last; if it is not eligible, the youngest one (MICRO 2025, for Turing and Ampere).
#include "arch/sm/warps/warp_scheduler.h"

namespace sassim::arch {
namespace {

class GreedyYoungest : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    return in(eligible, view.last) ? view.last : youngest(eligible, view);
  }
};

const Registered<WarpScheduler, GreedyYoungest> greedy_youngest_registered("greedy_youngest");

}  // namespace
}  // namespace sassim::arch
