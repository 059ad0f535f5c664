// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/lane.h"

#include <gtest/gtest.h>

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
