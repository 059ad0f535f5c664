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

stats::MetricSet run(Gpu& gpu, const Workload& workload, int sm) {
  SassKernel kernel(std::string("B------:R-:W0:-:S02 ") + workload.code + " ;\nB0-----:R-:W-:-:S05 EXIT ;\n", sm);
  kernel.warps(workload.warps)
      .blocks(workload.blocks)
      .addresses_by_block([&](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
        const std::uint64_t place = (block * workload.warps + warp) * workload.step;
        return 0x20000000 + place + static_cast<std::uint64_t>(lane) * 4;
      });
  RunOptions cold;
  cold.caches = CacheStart::cold;
  return gpu.run(*kernel.source(), cold).metrics;
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
