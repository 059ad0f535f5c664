// SPDX-License-Identifier: Apache-2.0
#include "arch/common/activity_series.h"

#include <gtest/gtest.h>

#include <numeric>

namespace sassim::arch {
namespace {

Activity issued(std::uint64_t count) {
  Activity activity;
  activity.issued = count;
  return activity;
}

std::uint64_t sum(const ActivityOverTime& series) {
  return std::accumulate(series.intervals.begin(), series.intervals.end(), std::uint64_t{0},
                         [](std::uint64_t total, const Activity& a) { return total + a.issued; });
}

/// One instruction per cycle for `cycles` cycles.
ActivityOverTime steady(std::size_t most, std::uint64_t start, std::uint64_t cycles) {
  ActivitySeries series(most, Cycle(start));
  while (series.due() <= Cycle(start + cycles)) series.close(issued(series.due().value - start));
  return series.finish(Cycle(start + cycles), issued(cycles));
}

TEST(ActivitySeries, EveryIntervalHasWhatWasDoneInIt) {
  const ActivityOverTime series = steady(8, 100, 80);
  EXPECT_EQ(series.interval, 32u);
  ASSERT_EQ(series.intervals.size(), 3u);
  EXPECT_EQ(series.intervals[0].issued, 32u);
  EXPECT_EQ(series.intervals[2].issued, 16u);
}

TEST(ActivitySeries, IntervalsDoubleWhenThereIsNoRoom) {
  for (const std::uint64_t cycles : {255u, 256u, 257u, 100'000u, 1'000'003u}) {
    const ActivityOverTime series = steady(8, 5, cycles);
    EXPECT_LE(series.intervals.size(), 8u);
    EXPECT_GE(series.intervals.size(), 4u);
    EXPECT_EQ(series.intervals.size(), (cycles + series.interval - 1) / series.interval);
    EXPECT_EQ(series.intervals[0].issued, series.interval);
    EXPECT_EQ(sum(series), cycles);
  }
}

TEST(ActivitySeries, WhatDrainsAfterTheEndBelongsToTheLastInterval) {
  ActivitySeries series(8, Cycle(0));
  for (int i = 1; i <= 5; ++i) series.close(issued(10 * i));
  const ActivityOverTime result = series.finish(Cycle(70), issued(60));
  ASSERT_EQ(result.intervals.size(), 3u);
  EXPECT_EQ(result.intervals[2].issued, 40u);
}

TEST(ActivitySeries, AShortKernelHasOneInterval) { EXPECT_EQ(steady(8, 0, 1).intervals.size(), 1u); }

}  // namespace
}  // namespace sassim::arch
