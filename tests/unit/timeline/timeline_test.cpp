// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "arch/common/counter_series.h"
#include "sim/timeline/lane.h"

namespace sassim::arch {
namespace {

const stats::Count kIssued("test__issued.sum", "inst", "instructions"), kOther("test__other.sum", "inst", "nothing");

stats::CounterValues issued(std::uint64_t count) {
  stats::CounterValues values;
  values.sum(kIssued, count);
  return values;
}

std::uint64_t sum(const CountsOverTime& series) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < series.intervals.size(); ++i) total += series.count(i, kIssued);
  return total;
}

CounterSeries series_of(std::size_t most, std::uint64_t start) { return {{kOther, kIssued}, most, Cycle(start)}; }

/// One instruction per cycle for `cycles` cycles.
CountsOverTime steady(std::size_t most, std::uint64_t start, std::uint64_t cycles) {
  CounterSeries series = series_of(most, start);
  while (series.due() <= Cycle(start + cycles)) series.close(issued(series.due().value - start));
  return series.finish(Cycle(start + cycles), issued(cycles));
}

TEST(CounterSeries, EveryIntervalHasWhatWasDoneInIt) {
  const CountsOverTime series = steady(8, 100, 80);
  EXPECT_EQ(series.interval, 32u);
  ASSERT_EQ(series.intervals.size(), 3u);
  EXPECT_EQ(series.count(0, kIssued), 32u);
  EXPECT_EQ(series.count(2, kIssued), 16u);
}

TEST(CounterSeries, IntervalsDoubleWhenThereIsNoRoom) {
  for (const std::uint64_t cycles : {255u, 256u, 257u, 100'000u, 1'000'003u}) {
    const CountsOverTime series = steady(8, 5, cycles);
    EXPECT_LE(series.intervals.size(), 8u);
    EXPECT_GE(series.intervals.size(), 4u);
    EXPECT_EQ(series.intervals.size(), (cycles + series.interval - 1) / series.interval);
    EXPECT_EQ(series.count(0, kIssued), series.interval);
    EXPECT_EQ(sum(series), cycles);
  }
}

TEST(CounterSeries, WhatDrainsAfterTheEndBelongsToTheLastInterval) {
  CounterSeries series = series_of(8, 0);
  for (int i = 1; i <= 5; ++i) series.close(issued(10 * i));
  const CountsOverTime result = series.finish(Cycle(70), issued(60));
  ASSERT_EQ(result.intervals.size(), 3u);
  EXPECT_EQ(result.count(2, kIssued), 40u);
}

TEST(CounterSeries, ACounterThatNobodyReportsHasNone) {
  const CountsOverTime series = steady(8, 0, 80);
  EXPECT_EQ(series.count(1, kOther), 0u);
  EXPECT_EQ(series.count(1, kIssued), 32u);
}

TEST(CounterSeries, AShortKernelHasOneInterval) { EXPECT_EQ(steady(8, 0, 1).intervals.size(), 1u); }

}  // namespace
}  // namespace sassim::arch

namespace sassim::timeline {
namespace {

TEST(Lane, SpansWithOneLabelContinue) {
  Lane lane;
  lane.add(0, 4, 7, 0, true);
  lane.add(4, 6, 7, 0, true);
  lane.add(8, 9, 7, 0, true);  // a gap
  lane.add(9, 10, 7, 0, false);
  ASSERT_EQ(lane.spans().size(), 3u);
  EXPECT_EQ(lane.spans()[0].until, 6u);
  EXPECT_EQ(lane.spans()[0].count, 1u);
}

TEST(Lane, CoarseSpansHaveTheLabelOfTheLongest) {
  Lane lane;
  lane.add(0, 1, 1, 0, true);
  lane.add(1, 8, 2, 0, true);
  lane.add(8, 10, 3, 0, true);
  lane.add(10, 40, 4, 0, true);
  lane.coarsen(10);
  ASSERT_EQ(lane.spans().size(), 2u);
  EXPECT_EQ(lane.spans()[0].label, 2u);
  EXPECT_EQ(lane.spans()[0].count, 3u);
  EXPECT_EQ(lane.spans()[0].until, lane.spans()[1].from);
}

TEST(Lane, WhatIsAddedToACoarseLaneJoins) {
  Lane lane;
  for (std::uint64_t i = 0; i < 1000; ++i) lane.add(i, i + 1, i, 100, false);
  EXPECT_EQ(lane.spans().size(), 10u);
}

}  // namespace
}  // namespace sassim::timeline
