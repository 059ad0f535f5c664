// SPDX-License-Identifier: Apache-2.0
// How a steady state is read off the instructions that warps issue.
#include "sim/sweep/mix_observer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sassim::sweep {
namespace {

using Role = MixLine::Role;

/// A load and three adds.
MixKernel kernel() {
  MixKernel made;
  made.lines = {{Role::overhead, 0}, {Role::other, 0}, {Role::add, 0}, {Role::add, 0}, {Role::add, 0}};
  made.group_size = 4;
  made.bytes_per_load = 128;
  return made;
}

arch::WarpName name(std::uint32_t warp) {
  return {SmId(0), WarpSlot(static_cast<std::uint8_t>(warp)), BlockId(0), warp};
}

/// A warp that takes `latency` cycles for a load and 4 for an add.
void play(MixObserver& observer, std::uint32_t warp, std::uint64_t start, int groups, std::uint64_t latency) {
  std::uint64_t now = start;
  observer.warp_started(name(warp), Cycle(now));
  observer.issued(name(warp), 0, Cycle(now), kNever);
  for (int i = 0; i < groups; ++i) {
    observer.issued(name(warp), 1, Cycle(now), kNever);
    now += latency;
    for (std::uint32_t line = 2; line < 5; ++line, now += 4) observer.issued(name(warp), line, Cycle(now), kNever);
  }
  observer.warp_ended(name(warp), Cycle(now));
}

TEST(MixObserver, WarpsInStepGiveTheirRateWhateverTheWindow) {
  for (const int groups : {7, 8, 13, 29}) {
    const MixKernel made = kernel();
    MixObserver observer(made, 1, 64);
    for (std::uint32_t warp = 0; warp < 8; ++warp) play(observer, warp, 0, groups, 988);
    const SteadyState steady = observer.steady_state();
    EXPECT_NEAR(steady.groups, 8 / 1000.0, 0.02 * 8 / 1000.0) << groups;
    EXPECT_NEAR(steady.memory_latency, 988, 1e-9);
    EXPECT_EQ(steady.warps, 8);
    EXPECT_NEAR(steady.first_half, steady.second_half, 1e-6);
    EXPECT_NEAR(observer.warp_latency(), 1000 * groups, 1e-9);
  }
}

TEST(MixObserver, MeasuresOnlyWhileEveryWarpIsThere) {
  const MixKernel made = kernel();
  MixObserver observer(made, 1, 64);
  play(observer, 0, 0, 40, 88);      // ends at 4000
  play(observer, 1, 1000, 40, 188);  // 1000 to 9000
  const SteadyState steady = observer.steady_state();
  EXPECT_GE(steady.from, 1000);
  EXPECT_LE(steady.to, 4000);
  EXPECT_NEAR(steady.groups, 1 / 100.0 + 1 / 200.0, 0.03 * 0.015);
}

TEST(MixObserver, ShowsWarpsAndInstructionsOverTime) {
  const MixKernel made = kernel();
  MixObserver observer(made, 1, 64);
  play(observer, 0, 0, 10, 628);    // 6400 cycles
  play(observer, 1, 3200, 5, 628);  // the second half
  const Timeline line = observer.timeline(10);
  EXPECT_EQ(line.step % 64, 0u);
  EXPECT_NEAR(line.warps[1], 1, 1e-9);
  EXPECT_NEAR(line.warps[7], 2, 1e-9);
  double issued = 0;
  for (const double ipc : line.ipc) issued += ipc * static_cast<double>(line.step);
  EXPECT_NEAR(issued, 60, 1e-9);
}

TEST(MixObserver, TooShortARunHasNoSteadyState) {
  const MixKernel made = kernel();
  MixObserver observer(made, 1, 64);
  play(observer, 0, 0, 1, 500);
  EXPECT_EQ(observer.steady_state().groups, 0);
}

}  // namespace
}  // namespace sassim::sweep
