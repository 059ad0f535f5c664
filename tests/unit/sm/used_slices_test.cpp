// SPDX-License-Identifier: Apache-2.0
// The query of a fence: to which slices it goes, and when the last one has answered (h200/l1.md#fences).
#include "arch/sm/common/used_slices.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sim/base/state_archive.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

constexpr std::uint32_t kNear = 200, kFar = 500;

/// 8 slices at one distance, 4 in each half.
config::GpuConfig chip() {
  config::GpuConfig config;
  config.sm.count = 16;
  config.memory.l2.slices = 8;
  config.memory.halves.parts = 2;
  config.memory.halves.latency = 50;
  config.memory.crossbar.spread = 0;
  config.sm.memory_io.membar_l2.near = kNear;
  config.sm.memory_io.membar_l2.far = kFar;
  config.sm.memory_io.membar_l2.interval = 0;
  return config;
}

/// One address at home in each slice of a half, seen from SM 0.
std::vector<std::uint64_t> addresses(const config::GpuConfig& config, bool far) {
  const SliceMap map(config.memory);
  const Topology topology(config);
  std::vector<std::uint64_t> found;
  std::set<SliceId> slices;
  for (std::uint64_t address = 0; found.size() < 4; address += config.memory.l2.line) {
    const SliceId slice = map.place(address).slice;
    if (topology.apart(Endpoint::of_sm(SmId(0)), Endpoint::of_slice(slice)) != far || !slices.insert(slice).second)
      continue;
    found.push_back(address);
  }
  return found;
}

TEST(UsedSlices, AFenceAsksThoseOfEitherHalfThatWereUsedSinceTheLastOne) {
  const config::GpuConfig config = chip();
  const auto near = addresses(config, false), far = addresses(config, true);
  UsedSlices used(config, SmId(0));
  UsedSlices::Answers answers = used.ask(false);
  EXPECT_EQ(answers.cycles + answers.near_slices + answers.far_slices, 0u) << "none was used";
  for (int times = 0; times < 3; ++times) used.add(near[0]);
  used.add(near[1]);
  answers = used.ask(false);
  EXPECT_EQ(answers.cycles, kNear);
  EXPECT_EQ(answers.near_slices, 2u);
  EXPECT_EQ(answers.far_slices, 0u);
  EXPECT_EQ(used.ask(false).near_slices, 0u) << "the last fence asked them";
  used.add(near[0]);
  used.add(far[2]);
  answers = used.ask(false);
  EXPECT_EQ(answers.cycles, kFar) << "the longer way";
  EXPECT_EQ(answers.near_slices, 1u);
  EXPECT_EQ(answers.far_slices, 1u);
  used.add(far[0]);
  used.start_kernel();
  EXPECT_EQ(used.ask(false).far_slices, 0u) << "another kernel";
  answers = used.ask(true);
  EXPECT_EQ(answers.near_slices, 4u);
  EXPECT_EQ(answers.far_slices, 4u);
}

TEST(UsedSlices, QueriesLeaveOneAfterTheOtherAndFartherSlicesAnswerLater) {
  config::GpuConfig config = chip();
  config.sm.memory_io.membar_l2.interval = 3;
  const auto near = addresses(config, false);
  UsedSlices used(config, SmId(0));
  for (std::uint32_t asked = 1; asked <= 4; ++asked) {
    for (std::uint32_t i = 0; i < asked; ++i) used.add(near[i]);
    EXPECT_EQ(used.ask(false).cycles, kNear + 3 * (asked - 1)) << asked;
  }
  config.memory.crossbar.spread = 30;
  UsedSlices spread(config, SmId(0));
  const SliceMap map(config.memory);
  const Topology topology(config);
  std::set<std::uint32_t> distances;
  for (const std::uint64_t address : near) {
    spread.add(address);
    const std::uint32_t cycles = spread.ask(false).cycles;
    EXPECT_EQ(cycles, kNear + 2 * topology.distance(SmId(0), map.place(address).slice).value) << "there and back";
    distances.insert(cycles);
  }
  EXPECT_GT(distances.size(), 1u);
}

TEST(UsedSlices, AQueryToAllAsksTheHalvesInTurn) {
  config::GpuConfig config = chip();
  config.memory.l2.slices = 96;
  config.sm.memory_io.membar_l2.interval = 1;
  UsedSlices used(config, SmId(0));
  const UsedSlices::Answers answers = used.ask(true);
  EXPECT_EQ(answers.near_slices, 48u);
  EXPECT_EQ(answers.far_slices, 48u);
  EXPECT_EQ(answers.cycles, kFar + 95) << "a far slice is asked last";
  const auto near = addresses(config, false), far = addresses(config, true);
  for (std::size_t i = 0; i < near.size(); ++i) used.add(near[i]), used.add(far[i]);
  EXPECT_EQ(used.ask(false).cycles, kFar + 7) << "only those that were used take a turn";
}

TEST(UsedSlices, WithoutQueriesAFenceWaitsForNothingHoweverFarTheSlicesAre) {
  config::GpuConfig config = chip();
  config.memory.crossbar.spread = 30;
  config.sm.memory_io.membar_l2.near = config.sm.memory_io.membar_l2.far = 0;
  UsedSlices used(config, SmId(0));
  for (const std::uint64_t address : addresses(config, false))
    EXPECT_EQ(used.add(address), MemRequest::kNoHome) << "nobody needs the home";
  EXPECT_EQ(used.ask(true).cycles, 0u);
  config.memory.l2.end_barriers = true;  // then queries are counted
  UsedSlices counted(config, SmId(0));
  for (const std::uint64_t address : addresses(config, false)) counted.add(address);
  const UsedSlices::Answers answers = counted.ask(false);
  EXPECT_EQ(answers.cycles, 0u);
  EXPECT_EQ(answers.near_slices, 4u);
}

TEST(UsedSlices, ASavedStateAsksTheSameSlices) {
  const config::GpuConfig config = chip();
  const auto near = addresses(config, false);
  UsedSlices used(config, SmId(0)), again(config, SmId(0));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(used.add(near[i]), SliceMap(config.memory).place(near[i]).slice.value);
  StateWriter to;
  to(used);
  StateReader from(to.bytes());
  from(again);
  EXPECT_EQ(again.ask(false).near_slices, 3u);
}

}  // namespace
}  // namespace sassim::arch
