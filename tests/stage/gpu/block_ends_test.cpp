// SPDX-License-Identifier: Apache-2.0
// A block that replaces another one waits until the GPU has registered the end before it.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "arch/gpu/gpu.h"
#include "arch/sm/common/pipeline_observer.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

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
