// SPDX-License-Identifier: Apache-2.0
#include "sim/config/groups/occupancy.h"

#include <gtest/gtest.h>

#include "sim/config/occupancy.h"

namespace sassim::config {
namespace {

Occupancy volta() {
  Occupancy limits;  // the defaults are those of compute capability 7.0
  limits.carveouts = {0, 8192, 16384, 32768, 65536, 98304};
  return limits;
}

TEST(Occupancy, WarpsLimitALargeBlock) {
  const OccupancyResult result = occupancy(volta(), {256, 32, 0});
  EXPECT_EQ(result.blocks, 8u);
  EXPECT_EQ(result.limiter, Limiter::warps);
  EXPECT_EQ(result.carveout, 0u) << "no shared memory asked for: all of the array is L1";
}

TEST(Occupancy, RegistersAreAllocatedPerWarpInUnits) {
  // 33 registers x 32 lanes = 1056, rounded to 1280 per warp; 8 warps: 10240 per block; 65536 / 10240 = 6
  const OccupancyResult result = occupancy(volta(), {256, 33, 0});
  EXPECT_EQ(result.registers_per_block, 10240u);
  EXPECT_EQ(result.blocks, 6u);
  EXPECT_EQ(result.limiter, Limiter::registers);
}

TEST(Occupancy, BlocksOfThreeWarpsShareTheRegistersOfFullRounds) {
  // 80 registers: 25 warps' worth, 24 of them in full rounds of the processing blocks (an H200 holds 8 blocks)
  EXPECT_EQ(occupancy(volta(), {96, 77, 0}).blocks, 8u);
  EXPECT_EQ(occupancy(volta(), {96, 128, 0}).blocks, 5u);
  EXPECT_EQ(occupancy(volta(), {160, 77, 0}).blocks, 4u);
}

TEST(Occupancy, SharedMemoryPicksTheSmallestCarveoutThatKeepsTheBlocks) {
  const OccupancyResult result = occupancy(volta(), {1024, 32, 10000});
  EXPECT_EQ(result.blocks, 2u);
  EXPECT_EQ(result.shared_per_block, 10240u);
  EXPECT_EQ(result.carveout, 32768u);
}

TEST(Occupancy, ASmallPreferredCarveoutLimitsTheBlocks) {
  const OccupancyResult result = occupancy(volta(), {64, 16, 8192}, 16384);
  EXPECT_EQ(result.carveout, 16384u);
  EXPECT_EQ(result.blocks, 2u);
  EXPECT_EQ(result.limiter, Limiter::shared_memory);
}

TEST(Occupancy, ABlockThatCanNeverFitSaysWhy) {
  const OccupancyResult result = occupancy(volta(), {128, 32, 98305});
  EXPECT_EQ(result.blocks, 0u);
  EXPECT_EQ(result.limiter, Limiter::shared_memory);
  EXPECT_EQ(occupancy(volta(), {1024, 255, 0}).limiter, Limiter::registers);
  EXPECT_EQ(occupancy(volta(), {1024, 255, 0}).blocks, 0u);
}

}  // namespace
}  // namespace sassim::config
