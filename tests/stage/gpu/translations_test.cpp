// SPDX-License-Identifier: Apache-2.0
// How long translations last (sm.tlb_scope): which launches of a program wait for a page walk.
#include <gtest/gtest.h>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

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
