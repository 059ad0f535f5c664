// SPDX-License-Identifier: Apache-2.0
// The way of texture reads to the L1 (h200/l1.md#textures).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

constexpr const char* kFetch = "TLD.LZ RZ, R2, R8, UR4, 0x0, 1D, 0x1";
constexpr const char* kSample = "TEX.LL RZ, R2, R8, R6, UR4, 0x0, 2D, 0x1";

/// From the second read's issue to that of what needs it.
std::uint64_t hit(const config::GpuConfig& config, const std::string& read) {
  SassKernel kernel("B------:R-:W0:-:S02 " + read + " ;\nB0-----:R-:W0:-:S02 " + read +
                        " ;\nB0-----:R-:W-:-:S04 FFMA R4, R2, R5, R6 ;\nEXIT ;\n",
                    config.arch);
  kernel.addresses([](auto, auto, auto, int lane) { return 0x10000000 + 4 * static_cast<std::uint64_t>(lane); });
  const SmRun run = run_sm_with_memory(config, kernel);
  return run.issues_of(0, 2).at(0) - run.issues_of(0, 1).at(0);
}

TEST(Textures, TakeTheirUnitsTimeBeyondALoad) {
  const config::GpuConfig config = without_code_misses("h200");
  const config::MemoryIo& io = config.sm.memory_io;
  // What a load from vector registers pays for its address, a read through the texture unit does not.
  const std::uint64_t load = hit(config, "LDG.E R2, [R8.64]") - io.vector_address;
  EXPECT_EQ(hit(config, kFetch), load + 4 + io.texture_latency);
  EXPECT_EQ(hit(config, kSample), load + 8 + io.texture_latency + io.filter_latency);
}

TEST(Textures, FindTheirTexelsForSoManyLanesAtATime) {
  config::GpuConfig config = without_code_misses("h200");
  const std::uint64_t fetch = hit(config, kFetch), sample = hit(config, kSample);
  config.sm.memory_io.texture_lanes = 2;
  EXPECT_EQ(hit(config, kFetch), fetch);
  EXPECT_EQ(hit(config, kSample), sample + 8);
  config.sm.memory_io.texture_narrow_lanes = 5;  // seven steps
  EXPECT_EQ(hit(config, kFetch), fetch + 3);
}

/// From the first issue to the end of so many reads by each of sixteen warps.
std::uint64_t reading(const config::GpuConfig& config, const std::string& read, std::uint64_t apart,
                      std::uint64_t turns) {
  SassKernel kernel("top:\nB------:R-:W0:-:S02 " + read +
                        " ;\nB------:R-:W-:-:S05 @P0 BRA top ;\nB0-----:R-:W-:-:S04 FFMA R4, R2, R5, R6 ;\nEXIT ;\n",
                    config.arch);
  kernel.warps(16).loop("top", turns).addresses([=](auto, auto, auto, int lane) {
    return 0x10000000 + apart * static_cast<std::uint64_t>(lane);
  });
  const SmRun run = run_sm_with_memory(config, kernel);
  std::uint64_t last = 0;
  for (std::uint32_t warp = 0; warp < 16; ++warp) last = std::max(last, run.issues_of(warp, 2).at(0));
  return last - run.issues_of(0, 0).at(0);
}

/// Cycles for each read that hits, without those of the start, in which the lines arrive.
double interval(const config::GpuConfig& config, const std::string& read, std::uint64_t apart) {
  constexpr std::uint64_t kTurns = 32;
  return static_cast<double>(reading(config, read, apart, 2 * kTurns) - reading(config, read, apart, kTurns)) /
         (16 * kTurns);
}

/// A kernel of so many reads in a row, whose texels hit, and the lines behind them.
SassKernel in_a_row(const config::GpuConfig& config, std::uint32_t reads, const std::string& behind = "",
                    std::uint64_t apart = 4) {
  std::string lines;
  for (std::uint32_t i = 0; i < reads; ++i) lines += std::string("B------:R-:W0:-:S02 ") + kFetch + " ;\n";
  SassKernel kernel("top:\n" + lines + behind + "B0-----:R-:W-:-:S05 @P0 BRA top ;\nEXIT ;\n", config.arch);
  kernel.loop("top", 2).addresses([=](std::uint32_t, std::uint32_t line, std::uint64_t, int lane) {
    return line < reads ? 0x10000000 + apart * static_cast<std::uint64_t>(lane) : 4 * static_cast<std::uint64_t>(lane);
  });
  return kernel;
}

// From the first of a row of reads to the cycle in which the last has issued, on an H200.
TEST(Textures, WaitForTheirUnitInAShortQueue) {
  const auto issued = [](std::uint32_t warps, std::uint32_t reads, std::uint32_t queue = 0) {
    config::GpuConfig config = without_code_misses("h200");
    if (queue != 0) config.sm.memory_io.texture_queue = queue;
    SassKernel kernel = in_a_row(config, reads);
    kernel.warps(warps);
    const SmRun run = run_sm_with_memory(config, kernel);
    std::uint64_t last = 0;
    for (std::uint32_t warp = 0; warp < warps; ++warp)
      last = std::max(last, run.issues_of(warp, reads - 1).at(1) - run.issues_of(warp, 0).at(1));
    return static_cast<double>(last) + 2;
  };
  EXPECT_EQ(issued(1, 4), 8);
  EXPECT_EQ(issued(4, 4), 8);
  EXPECT_NEAR(issued(1, 32), 108, 5);
  EXPECT_NEAR(issued(4, 8), 60, 5);
  EXPECT_NEAR(issued(4, 16), 188, 5);
  EXPECT_NEAR(issued(4, 32), 444, 5);
  EXPECT_EQ(issued(4, 16, 16), 32);
}

TEST(Textures, LetLoadsAndStoresGoPast) {
  const config::GpuConfig config = without_code_misses("h200");
  for (const std::string access : {"LDS R20, [R8]", "STS [R8], R20", "LDG.E R20, [R8.64]"}) {
    const std::string behind = "B------:R" + std::string(access[0] == 'S' ? "1:W-" : "-:W1") + ":-:S02 " + access +
                               " ;\nB-1----:R-:W-:-:S02 NOP ;\n";
    const auto waits = [&](std::uint32_t reads) {
      SassKernel kernel = in_a_row(config, reads, behind);
      const SmRun run = run_sm_with_memory(config, kernel);
      return static_cast<double>(run.issues_of(0, reads + 1).at(1) - run.issues_of(0, reads).at(1));
    };
    EXPECT_NEAR(waits(16), waits(0), 9) << access << ": not the 64 cycles of sixteen reads";
  }
}

// The L1 takes 32 cycles for each of these reads, 2048 for all.
TEST(Textures, LetLoadsPastWhatWaitsForTheL1) {
  const config::GpuConfig config = without_code_misses("h200");
  SassKernel kernel = in_a_row(config, 16, "B------:R-:W1:-:S02 LDS R20, [R8] ;\nB-1----:R-:W-:-:S02 NOP ;\n", 128);
  kernel.warps(4);
  const SmRun run = run_sm_with_memory(config, kernel);
  for (std::uint32_t warp = 0; warp < 4; ++warp)
    EXPECT_LT(run.issues_of(warp, 17).at(1) - run.issues_of(warp, 16).at(1), 100u);
}

TEST(Textures, TakeEightOrFourLanesInACycle) {
  const config::GpuConfig config = without_code_misses("h200");
  EXPECT_NEAR(interval(config, kFetch, 4), 4.2, 0.3);
  EXPECT_NEAR(interval(config, kFetch, 32), 8.2, 0.3);
  EXPECT_NEAR(interval(config, kFetch, 128), 32.2, 0.3);
  EXPECT_NEAR(interval(config, kSample, 4), 8.2, 0.3);
  EXPECT_NEAR(interval(config, "SULD.D.BA.2D.STRONG.SM.TRAP R2, [R8], UR4, 0x0", 4), 4.2, 0.4);
}

}  // namespace
}  // namespace sassim::arch::test
