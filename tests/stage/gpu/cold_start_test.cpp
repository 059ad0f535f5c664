// SPDX-License-Identifier: Apache-2.0
// A kernel that finds nothing in the caches does not see what ran before it: not the phase of the DRAM's refreshes, nor
// open rows, nor what units remember of the last requests.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

struct Workload {
  const char* name;
  const char* code;
  std::uint32_t warps, blocks;
  std::uint64_t step;  ///< bytes from warp to warp
};

constexpr Workload kWorkloads[] = {
    {"loads", "LDG.E R8, [R2.64]", 8, 60, 8192},
    {"stores", "STG.E [R2.64], R8", 4, 40, 144},
    {"scattered stores", "STG.E.U8 [R2.64], R8", 4, 30, 4099},
    {"reductions", "RED.E.ADD.STRONG.GPU [R2.64], R8", 8, 20, 4},
    {"additions with results", "ATOMG.E.ADD.STRONG.GPU PT, R8, [R2.64], R9", 4, 20, 64},
    {"float additions", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R8", 4, 20, 4},
    {"a few loads", "LDG.E R8, [R2.64]", 1, 3, 128},
};

SassKernel kernel_of(const Workload& workload, int sm) {
  SassKernel kernel(std::string("B------:R-:W0:-:S02 ") + workload.code + " ;\nB0-----:R-:W-:-:S05 EXIT ;\n", sm);
  kernel.warps(workload.warps)
      .blocks(workload.blocks)
      .addresses_by_block([&](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
        const std::uint64_t place = (block * workload.warps + warp) * workload.step;
        return 0x20000000 + place + static_cast<std::uint64_t>(lane) * 4;
      });
  return kernel;
}

stats::MetricSet run(Gpu& gpu, const Workload& workload, int sm) {
  RunOptions cold;
  cold.caches = CacheStart::cold;
  return gpu.run(*kernel_of(workload, sm).source(), cold).metrics;
}

void expect_equal(const stats::MetricSet& got, const stats::MetricSet& expected) {
  for (const auto& [row, value] : expected.all()) EXPECT_EQ(got[row->name], value) << row->name;
}

class ColdStart : public testing::TestWithParam<const char*> {};

TEST_P(ColdStart, AKernelDoesNotSeeWhatRanBefore) {
  // With odd clocks the common edges of all clocks are far apart.
  const config::GpuConfig config = config::load_config(
      std::string(SASSIM_SOURCE_DIR "/configs/chips/") + GetParam() + ".yaml", {"sm.count=4", "clock.l2=1413MHz"});
  std::vector<stats::MetricSet> alone;
  for (const Workload& workload : kWorkloads) {
    Gpu gpu(config);
    alone.push_back(run(gpu, workload, config.arch));
  }
  Gpu gpu(config);
  for (std::size_t before = 0; before < std::size(kWorkloads); ++before)
    for (std::size_t after = 0; after < std::size(kWorkloads); ++after) {
      SCOPED_TRACE(std::string(kWorkloads[after].name) + " after " + kWorkloads[before].name);
      run(gpu, kWorkloads[before], config.arch);
      expect_equal(run(gpu, kWorkloads[after], config.arch), alone[after]);
    }
}

TEST(Reuse, OnlyALaunchThatNothingCanChangeHasAnEarlierResult) {
  const config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml", {"sm.count=4"});
  Gpu gpu(config);
  gpu.reuse_results(true);
  const auto run_again = [&](const Workload& workload, const RunOptions& options) {
    const KernelResult result = gpu.run(*kernel_of(workload, config.arch).source(), options);
    const KernelResult simulated = Gpu(config).run(*kernel_of(workload, config.arch).source(), options);
    if (options.caches != CacheStart::keep) expect_equal(result.metrics, simulated.metrics);
    return result.reused;
  };
  const RunOptions cold;
  EXPECT_FALSE(run_again(kWorkloads[0], cold));
  EXPECT_FALSE(run_again(kWorkloads[1], cold)) << "another launch";
  EXPECT_TRUE(run_again(kWorkloads[0], cold));
  RunOptions other = cold;
  other.caches = CacheStart::written;
  EXPECT_FALSE(run_again(kWorkloads[0], other));
  EXPECT_TRUE(run_again(kWorkloads[0], other));
  other.caches = CacheStart::keep;
  EXPECT_FALSE(run_again(kWorkloads[0], other));
  EXPECT_FALSE(run_again(kWorkloads[0], other)) << "the caches are not the same";
  other = cold;
  other.launch = config.launch.places.count;
  ASSERT_NE(config.launch.places.reuse_latency, 0u);
  EXPECT_FALSE(run_again(kWorkloads[0], other)) << "it begins later";
  other = cold;
  other.series = 8;
  EXPECT_FALSE(run_again(kWorkloads[0], other)) << "the earlier result has no series";
  other = cold;
  PipelineObserver nobody;
  other.pipeline = &nobody;
  EXPECT_FALSE(run_again(kWorkloads[0], other)) << "somebody observes it";
  gpu.reuse_results(false);
  EXPECT_FALSE(run_again(kWorkloads[0], cold));
}

INSTANTIATE_TEST_SUITE_P(Chips, ColdStart, testing::Values("h200", "t4", "v100"));

}  // namespace
}  // namespace sassim::arch::test

// How long translations last (sm.tlb_scope): which launches of a program wait for a page walk.
namespace sassim::arch::test {
namespace {

constexpr std::uint64_t kPage = 32 << 20;

/// A GPU whose launches each load one line for every block.
struct Loads {
  explicit Loads(const char* scope)
      : gpu(config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
                                {"sm.count=4", std::string("sm.tlb_scope=") + scope})) {}

  stats::MetricSet run(CacheStart caches, std::uint64_t page, std::uint64_t blocks = 1) {
    SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 EXIT ;\n", 90);
    kernel.warps(1).blocks(blocks).addresses_by_block(
        [=](std::uint64_t block, std::uint32_t, std::uint32_t, std::uint64_t, int lane) {
          return page * kPage + block * 128 + static_cast<std::uint64_t>(lane) * 4;
        });
    RunOptions options;
    options.caches = caches;
    return gpu.run(*kernel.source(), options).metrics;
  }
  double walks(CacheStart caches, std::uint64_t page, std::uint64_t blocks = 1) {
    return run(caches, page, blocks)["sassim__page_walks.sum"];
  }
  Gpu gpu;
};

// h200/launches.md#allocations: the first launch of a program that uses a page waits, later ones do not, on whichever
// SM.
TEST(Translations, TheFirstLaunchOfAProgramThatUsesAPageWaits) {
  Loads loads("program");
  const double first = loads.run(CacheStart::keep, 8)["gpc__cycles_elapsed.max"];
  EXPECT_EQ(loads.walks(CacheStart::keep, 8, 4), 0) << "on other SMs";
  EXPECT_EQ(loads.run(CacheStart::keep, 8, 4)["sassim__l1_tlb_misses.sum"], 0);
  const double later = loads.run(CacheStart::keep, 8)["gpc__cycles_elapsed.max"];
  EXPECT_EQ(loads.run(CacheStart::keep, 8)["gpc__cycles_elapsed.max"], later);
  EXPECT_GT(first, later + 300) << "the network both ways, and the load of the table";
  EXPECT_EQ(loads.walks(CacheStart::keep, 9, 4), 1) << "another page, one walk for all SMs";
  EXPECT_EQ(loads.walks(CacheStart::keep, 9), 0);
}

TEST(Translations, WithColdCachesEveryPageIsKnownUnlessThePassIsTheOnlyOne) {
  Loads several("program");
  EXPECT_EQ(several.run(CacheStart::cold, 8)["sassim__l1_tlb_misses.sum"], 0);
  Loads single("single_pass");
  const double first = single.run(CacheStart::cold, 8)["gpc__cycles_elapsed.max"];
  EXPECT_EQ(single.walks(CacheStart::cold, 8, 4), 0);
  const double later = single.run(CacheStart::cold, 8)["gpc__cycles_elapsed.max"];
  EXPECT_GT(first, later + 300);
  EXPECT_NEAR(later, several.run(CacheStart::cold, 8)["gpc__cycles_elapsed.max"], 10) << "the phase of the clocks";
}

TEST(Translations, OfALaunchAreLostWithIt) {
  Loads loads("launch");
  EXPECT_EQ(loads.run(CacheStart::keep, 8)["sassim__l1_tlb_misses.sum"], 1);
  EXPECT_EQ(loads.run(CacheStart::keep, 8)["sassim__l1_tlb_misses.sum"], 1);
  EXPECT_EQ(loads.walks(CacheStart::cold, 8), 1);
}

}  // namespace
}  // namespace sassim::arch::test

// SMs without thread blocks wait where launches repeat (Sm::waits()).
namespace sassim::arch::test {
namespace {

/// A program on two GPUs. On the second one an observer makes every SM start every launch.
class TwoGpus {
 public:
  explicit TwoGpus(CacheStart caches) {
    options_.caches = caches;
    options_.series = 16;
  }

  void run(std::uint64_t code, std::uint32_t additions, std::uint32_t blocks) {
    std::string text = "B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\n";
    for (std::uint32_t i = 0; i < additions; ++i) text += "B------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x164] ;\n";
    text += "B0-----:R-:W1:-:S02 LDC R9, c[0x3][R7] ;\nB01----:R0:W-:-:S02 STG.E [R2.64], R8 ;\n";
    SassKernel kernel(text + "B------:R-:W-:-:S05 EXIT ;\n");
    kernel.warps(2).blocks(blocks).info().code_address = code;
    const auto source = kernel.source();
    RunOptions watched = options_;
    watched.pipeline = &observer_;
    const KernelResult got = waiting_.run(*source, options_), expected = starting_.run(*source, watched);
    EXPECT_EQ(got.cycles, expected.cycles);
    EXPECT_EQ(got.warp_instructions, expected.warp_instructions);
    ASSERT_EQ(got.metrics.all().size(), expected.metrics.all().size());
    expect_equal(got.metrics, expected.metrics);
    ASSERT_EQ(got.lines.size(), expected.lines.size());
    for (std::size_t i = 0; i < got.lines.size(); ++i) EXPECT_EQ(got.lines[i].cycles, expected.lines[i].cycles);
    EXPECT_EQ(got.series.intervals, expected.series.intervals);
  }

 private:
  // A launch brings its first 2 KiB of code, and displaces what an earlier one has fetched.
  const config::GpuConfig config_ =
      config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml",
                          {"sm.count=8", "sm.front_end.l0.size=1KiB", "sm.front_end.l0.ways=4",
                           "sm.front_end.l1.size=4KiB", "sm.front_end.l1.ways=8", "launch.code_prefetch=2KiB"});
  Gpu waiting_{config_}, starting_{config_};
  PipelineObserver observer_;
  RunOptions options_;
};

TEST(SmsWithoutBlocks, CountAndKeepTheSameWhetherTheyStartALaunchOrWait) {
  constexpr std::uint64_t kOne = 0x10000, kOther = 0x24000;
  constexpr std::uint32_t kLong = 190, kShort = 130;
  for (const CacheStart caches : {CacheStart::cold, CacheStart::keep, CacheStart::warm}) {
    TwoGpus gpus(caches);
    for (const std::uint32_t blocks : {1u, 2u, 1u, 3u, 8u, 1u, 300u, 1u, 1u, 5u}) gpus.run(kOne, kLong, blocks);
    for (const std::uint32_t blocks : {1u, 1u, 4u, 1u, 8u, 1u}) {
      gpus.run(kOther, kShort, blocks);
      gpus.run(kOther, kShort, 1);
      gpus.run(kOne, kLong, 8);
      gpus.run(kOne, kLong, blocks);
    }
  }
}

}  // namespace
}  // namespace sassim::arch::test
