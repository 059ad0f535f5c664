// SPDX-License-Identifier: Apache-2.0
// How far slices are from an SM.
#include "arch/memory/distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace sassim::arch {
namespace {

config::GpuConfig gpu(std::uint32_t slices, std::uint32_t partitions, std::uint32_t spread) {
  config::GpuConfig config;
  config.sm.count = 16;
  config.memory.l2.slices = slices;
  config.memory.l2.partitions = partitions;
  config.memory.crossbar.spread = spread;
  return config;
}

struct Distance {
  config::GpuConfig config;
  Topology topology{config};
  SliceDistance distance{config, topology};
};

std::vector<std::uint64_t> seen(const SliceDistance& distance, SmId sm, std::uint32_t slices) {
  std::vector<std::uint64_t> all;
  for (std::uint32_t slice = 0; slice < slices; ++slice) all.push_back(distance.of(sm, slice).value);
  return all;
}

TEST(SliceDistance, EverySmSeesTheSlicesEvenlyBetweenNearestAndFarthest) {
  for (std::uint32_t slices : {5u, 12u, 48u}) {
    const Distance built{gpu(slices, 1, 30)};
    const SliceDistance& distance = built.distance;
    for (std::uint16_t sm = 0; sm < 16; ++sm) {
      std::vector<std::uint64_t> all = seen(distance, SmId(sm), slices);
      std::sort(all.begin(), all.end());
      for (std::uint32_t i = 0; i < slices; ++i) EXPECT_EQ(all[i], std::uint64_t{i} * 30 / (slices - 1)) << slices;
    }
  }
}

TEST(SliceDistance, NeighboursAgreeAndOthersSeeAnotherOrder) {
  const Distance built{gpu(48, 1, 30)};
  const SliceDistance& distance = built.distance;
  EXPECT_EQ(seen(distance, SmId(0), 48), seen(distance, SmId(1), 48));
  EXPECT_NE(seen(distance, SmId(0), 48), seen(distance, SmId(2), 48));
}

TEST(SliceDistance, TheNearestSliceCanBeChosen) {
  for (std::uint32_t nearest : {0u, 1u, 25u, 47u}) {
    config::GpuConfig config = gpu(48, 1, 30);
    config.memory.crossbar.nearest = nearest;
    const Distance built{config};
    const std::vector<std::uint64_t> all = seen(built.distance, SmId(0), 48);
    EXPECT_EQ(all[nearest], 0u);
    EXPECT_EQ(std::count(all.begin(), all.end(), 0u), 2) << "and the second nearest, less than a cycle farther";
  }
}

TEST(SliceDistance, BothHalvesAreAlike) {
  const Distance built{gpu(48, 2, 30)};
  const SliceDistance& distance = built.distance;
  for (std::uint32_t slice = 0; slice < 24; ++slice)
    EXPECT_EQ(distance.of(SmId(3), slice), distance.of(SmId(3), slice + 24));
}

TEST(SliceDistance, WithoutSpreadAllAreNear) {
  const Distance built{gpu(1, 1, 0)};
  const SliceDistance& distance = built.distance;
  EXPECT_EQ(distance.of(SmId(15), 0), Cycle{});
}

}  // namespace
}  // namespace sassim::arch
