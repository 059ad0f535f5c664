// SPDX-License-Identifier: Apache-2.0
// Caches of any size through the whole GPU.
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/micro/memory_end_to_end/chase.h"

namespace sassim::arch::test {
namespace {

/// Loads and stores of scattered words, some of them again.
KernelResult scattered(const config::GpuConfig& config, std::uint32_t warps = 8) {
  SassKernel kernel(
      "loop:\nB0-----:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R1:W-:-:S02 STG.E [R2.64], R8 ;\n"
      "B------:R1:W-:-:S02 RED.E.ADD.STRONG.GPU [R2.64], R8 ;\nB-1----:R-:W-:-:S05 @P0 BRA loop ;\nEXIT ;\n",
      config.arch);
  kernel.loop("loop", 40).warps(warps).blocks(2);
  kernel.addresses([](std::uint32_t warp, std::uint32_t line, std::uint64_t trip, int lane) {
    const std::uint64_t x = (warp * 64 + trip * 4 + line) * 0x9e3779b97f4a7c15ull >> 40;
    return 0x20000000 + x % 1024 * 128 + static_cast<std::uint64_t>(lane) * (x % 5) * 4;
  });
  const auto source = kernel.source();
  Gpu gpu(config);
  return gpu.run(*source);
}

// A run ends with a check of conservation, so that ending is the test.
TEST(Geometry, LinesAndSectorsWorkOrAreRefused) {
  for (const char* line : {"32", "64", "128", "256", "512"})
    for (const char* sector : {"32", "64", "128"}) {
      const std::vector<std::string> keys{std::string("sm.l1.line=") + line, std::string("sm.l1.sector=") + sector};
      const unsigned long bytes = std::stoul(line), sectors = bytes / std::stoul(sector);
      if (sectors < 1 || sectors > 8 || bytes > 256) {
        EXPECT_THROW(scattered(two_sms("v100", keys)), InputError) << line << " " << sector;
        continue;
      }
      const KernelResult result = scattered(two_sms("v100", keys));
      EXPECT_EQ(result.warp_instructions, 2u * 8 * (40 * 4 + 1)) << line << " " << sector;
    }
}

TEST(Geometry, OddNumbersWork) {
  for (const std::vector<std::string>& keys :
       {std::vector<std::string>{"sm.l1.size=129KiB"},
        {"memory.l2.slices=63", "memory.l2.size=6048KiB", "memory.dram.channels=21"},
        {"memory.l2.ways=11", "memory.l2.size=5632KiB"},
        {"memory.dram.channels=7", "memory.l2.slices=56", "memory.l2.size=6048KiB"},
        {"sm.tlb.entries=13"},
        {"sm.l1.tags_per_cycle=3"},
        {"memory.l2.line=256", "memory.l2.byte_masks=false"},
        {"memory.l2_tlb.entries=96", "memory.l2_tlb.ways=3"}})
    EXPECT_EQ(scattered(two_sms("v100", keys)).warp_instructions, 2u * 8 * (40 * 4 + 1)) << keys.front();
}

/// Sectors that one warp's dependent accesses miss.
double misses(const std::vector<std::string>& keys, const char* metric) {
  const auto config = gpu_config("v100", [&] {
    std::vector<std::string> all{"sm.count=1", "sm.l1.replacement=lru", "memory.l2.replacement=lru"};
    all.insert(all.end(), keys.begin(), keys.end());
    return all;
  }());
  SassKernel kernel("loop:\nB0-----:R-:W0:-:S02 LDG.E R2, [R2.64] ;\nB------:R-:W-:-:S05 @P0 BRA loop ;\nEXIT ;\n", 70);
  kernel.loop("loop", 3000).active([](std::uint32_t) { return LaneMask{1}; });
  kernel.addresses([](std::uint32_t, std::uint32_t, std::uint64_t i, int) {
    const std::uint64_t x = (i * 0x9e3779b97f4a7c15ull >> 33) % 4096;
    return 0x20000000 + x * x / 4096 * 128;  // low lines more often
  });
  const auto source = kernel.source();
  Gpu gpu(config);
  return gpu.run(*source).metrics[metric];
}

TEST(Geometry, ALargerLruCacheNeverMissesMore) {
  double before = 1e9;
  for (int kib : {32, 40, 64, 72, 128, 200, 256}) {
    const double now =
        misses({"sm.l1.sets=1", "sm.l1.size=" + std::to_string(kib) + "KiB", "sm.occupancy.carveouts=[0]"},
               "l1tex__t_sectors_lookup_miss.sum");
    EXPECT_LE(now, before) << kib;
    before = now;
  }
  before = 1e9;
  for (int ways : {1, 2, 3, 5, 8, 16}) {
    const double now = misses({"memory.l2.slices=4", "memory.l2.ways=" + std::to_string(ways), "memory.dram.channels=4",
                               "memory.l2.size=" + std::to_string(ways * 16) + "KiB"},
                              "sassim__lts_sectors_fetched.sum");
    EXPECT_LE(now, before) << ways;
    before = now;
  }
}

}  // namespace
}  // namespace sassim::arch::test
