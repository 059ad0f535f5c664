// SPDX-License-Identifier: Apache-2.0
// Which SMs get a kernel's first blocks, against what an H200 does (h200/launches.md#block-placement).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "arch/gpu/block_order.h"
#include "arch/gpu/gpu.h"
#include "arch/sm/common/pipeline_observer.h"
#include "sim/base/error.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

using Sms = std::vector<std::size_t>;

config::Launch groups_of_small_chip() {
  config::Launch launch;
  launch.sm_order = {8, 9, 0, 1, 4, 5, 2, 3, 6, 7};
  launch.group_sms = {2, 4, 4};
  launch.first_group_turns = 3;
  return launch;
}

TEST(BlockOrder, WithoutGroupsOneSmComesAfterTheOther) {
  config::Launch launch;
  launch.sm_order = {2, 9, 1};
  const BlockOrder order(4, launch);
  EXPECT_EQ(order.sms(), (Sms{2, 1, 0, 3}));
  EXPECT_EQ(order.first(3, 8), (Sms{2, 1, 0}));
  EXPECT_EQ(order.first(6, 8), (Sms{2, 1, 0, 3, 2, 1}));
  EXPECT_EQ(order.first(100, 2), (Sms{2, 1, 0, 3, 2, 1, 0, 3})) << "until all are full";
}

TEST(BlockOrder, TheFirstGroupHasItsTurnAfterSoManyOfOthers) {
  const BlockOrder order(10, groups_of_small_chip());
  EXPECT_EQ(order.first(30, 3), (Sms{8, 9, 0, 1, 4, 5, 2, 3, 6, 7,  // and two others have begun
                                     8, 9, 0, 1, 4, 5, 2, 3, 6, 7, 0, 1, 4, 5, 8, 9, 2, 3, 6, 7}));
}

TEST(BlockOrder, WhatIsNoWholeRoundIsDealtOut) {
  const BlockOrder order(10, groups_of_small_chip());
  EXPECT_EQ(order.first(5, 1), (Sms{8, 9, 0, 4, 2})) << "a TPC each, then a second one";
  EXPECT_EQ(order.first(7, 1), (Sms{8, 9, 0, 1, 4, 2, 6})) << "only then second SMs";
}

TEST(BlockOrder, OfAPartOfAChipTheOthersKeepTheirPlaces) {
  EXPECT_EQ(BlockOrder(6, groups_of_small_chip()).first(6, 1), (Sms{0, 1, 4, 5, 2, 3}));
}

TEST(BlockOrder, RefusesGroupsThatAreNotTheSms) {
  config::Launch launch = groups_of_small_chip();
  launch.group_sms = {2, 4};
  EXPECT_THROW(BlockOrder(10, launch), InputError);
  launch.sm_order[0] = 9;
  EXPECT_THROW(BlockOrder(10, launch), InputError);
}

/// The blocks that an SM of the H200 gets, of a grid that leaves room for all of its blocks.
Sms blocks_of(std::size_t sm, std::uint64_t blocks) {
  const config::GpuConfig config = config::load_config("h200");
  const Sms sms = BlockOrder(config.sm.count, config.launch).first(blocks, 8);
  Sms result;
  for (std::size_t i = 0; i < sms.size(); ++i)
    if (sms[i] == sm) result.push_back(i);
  return result;
}

TEST(BlockOrder, IsTheOneOfAnH200) {
  EXPECT_EQ(blocks_of(10, 576), (Sms{88, 220, 352, 476, 561}));
  EXPECT_EQ(blocks_of(124, 576), (Sms{0, 80, 180, 280, 528}));
  EXPECT_EQ(blocks_of(2, 576), (Sms{16, 148, 288, 412, 540}));
  EXPECT_EQ(blocks_of(122, 576), (Sms{138, 270, 402, 526}));
  EXPECT_EQ(blocks_of(65, 1024), (Sms{25, 157, 297, 429, 561, 693, 817})) << "one of seven SMs that get fewer";
  const config::GpuConfig config = config::load_config("h200");
  const BlockOrder order(config.sm.count, config.launch);
  EXPECT_EQ(order.first(9, 8).back(), 0u);
  Sms rest = order.first(48, 8);
  rest.erase(rest.begin(), rest.begin() + 8);
  rest.resize(15);
  EXPECT_EQ(rest, (Sms{0, 16, 32, 48, 2, 18, 34, 50, 64, 78, 4, 20, 36, 52, 66}));
}

TEST(BlockOrder, GivesEverySmAsManyAsItCanHold) {
  const config::GpuConfig config = config::load_config("h200");
  const BlockOrder order(config.sm.count, config.launch);
  for (const std::uint64_t blocks : {1u, 131u, 132u, 265u, 1056u, 5000u}) {
    const Sms sms = order.first(blocks, 8);
    EXPECT_EQ(sms.size(), std::min<std::uint64_t>(blocks, 1056));
    std::vector<std::uint64_t> count(config.sm.count);
    for (const std::size_t sm : sms) ++count.at(sm);
    EXPECT_LE(*std::max_element(count.begin(), count.end()), *std::min_element(count.begin(), count.end()) + 1);
  }
}

// A block that replaces another one waits until the GPU has registered the end before it.

config::GpuConfig gpu_of(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"memory.model=fixed", "launch.latency=0", "launch.sm_interval=0"});
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", overrides);
}

/// Reads the clock first.
SassKernel clocked(std::uint32_t blocks, std::uint64_t trips) {
  SassKernel kernel(R"(
  B------:R-:W-:-:S05 CS2R R10, SR_CLOCKLO ;
loop:
  B------:R-:W-:-:S02 FFMA R4, R4, R5, R6 ;
  B------:R-:W-:-:S05 @P0 BRA loop ;
  B------:R-:W-:-:S05 EXIT ;
)");
  kernel.loop("loop", trips).blocks(blocks);
  return kernel;
}

/// Where and when each block started.
struct BlockStarts final : ClockObserver {
  std::vector<std::pair<std::uint64_t, unsigned>> placed;
  std::map<std::uint64_t, std::uint64_t> at;
  void clock_read(BlockId block, std::uint32_t, std::uint32_t, Cycle cycle, SmId) override {
    at.emplace(block.value, cycle.value);
  }
  void block_placed(BlockId block, SmId sm) override { placed.emplace_back(block.value, sm.value); }
};

TEST(BlockRetirement, ABlockStartsWhenTheEndOfItsPredecessorIsRegistered) {
  SassKernel kernel = clocked(8, 10);
  kernel.shared(90 * 1024);  // one per SM: four end at once, and four take their places
  const auto starts = [&](const char* interval) {
    Gpu gpu(gpu_of({"sm.count=4", interval}));
    BlockStarts clocks;
    RunOptions options;
    options.clocks = &clocks;
    gpu.run(*kernel.source(), options);
    return clocks.at;
  };
  const auto plain = starts("launch.block_retire_interval=0"), late = starts("launch.block_retire_interval=100");
  ASSERT_EQ(plain.size(), 8u);
  for (std::uint64_t block = 0; block < 8; ++block)
    EXPECT_EQ(late.at(block), plain.at(block) + (block < 4 ? 0 : (block - 4) * 100)) << block;
}

TEST(BlockRetirement, BlocksInARowGoToAllSms) {
  const SassKernel kernel = clocked(2000, 1);  // short: ends wait for each other
  Gpu gpu(gpu_of({"sm.count=8", "launch.block_retire_interval=30"}));
  BlockStarts starts;
  RunOptions options;
  options.clocks = &starts;
  gpu.run(*kernel.source(), options);
  ASSERT_EQ(starts.placed.size(), 2000u);
  for (std::size_t i = 400; i + 16 < 2000; i += 16) {
    std::set<unsigned> sms;
    for (std::size_t j = i; j < i + 16; ++j) sms.insert(starts.placed[j].second);
    EXPECT_EQ(sms.size(), 8u) << "blocks from " << i << " on";
  }
}

TEST(BlockRetirement, ResultsDependNeitherOnEpochsNorOnThreads) {
  // 7 cycles: ends wait, and the SMs are idle between. 0.7: most ends are registered at once.
  for (const char* interval : {"launch.block_retire_interval=7", "launch.block_retire_interval=0.7"}) {
    const SassKernel kernel = clocked(3000, 3);
    using Outcome =
        std::tuple<Cycle, std::map<std::string, double>, decltype(BlockStarts::placed), decltype(BlockStarts::at)>;
    const auto run = [&](unsigned threads, std::uint64_t epoch) {
      Gpu gpu(gpu_of({"sm.count=9", "memory.model=full", interval}));
      BlockStarts starts;
      RunOptions options;
      options.clocks = &starts;
      options.threads = threads;
      options.epoch = epoch;
      const KernelResult result = gpu.run(*kernel.source(), options);
      std::map<std::string, double> metrics;
      for (const auto& [row, value] : result.metrics.all()) metrics[row->name] = value;
      return Outcome(result.cycles, metrics, starts.placed, starts.at);
    };
    const Outcome reference = run(1, 0);
    for (const unsigned threads : {1u, 2u, 7u})
      for (const std::uint64_t epoch : {0, 1, 13})
        EXPECT_TRUE(run(threads, epoch) == reference) << interval << ", " << threads << " threads, epoch " << epoch;
  }
}

}  // namespace
}  // namespace sassim::arch::test
