// SPDX-License-Identifier: Apache-2.0
// Warps of an H200's processing block at a pipe that takes them slower than they come
// (h200/instructions.md#warp-scheduling).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

/// Which warps of processing block 0 issued the lines below `count`, in order.
std::vector<std::uint32_t> turns(const SmRun& run, std::uint32_t count) {
  std::vector<std::uint32_t> warps;
  for (const SmRun::Issue& issue : run.issues)
    if (issue.warp % 4 == 0 && issue.line < count) warps.push_back(issue.warp);
  return warps;
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

/// The warps' turns with one instruction over and over.
std::vector<std::uint32_t> turns_of(const std::string& line, int count, std::uint32_t warps, bool memory = false) {
  const config::GpuConfig config = without_code_misses("h200");
  SassKernel kernel(repeated(line + " ;\n", count) + "EXIT ;\n", config.arch);
  kernel.warps(warps);
  return turns(memory ? run_sm_with_memory(config, kernel) : run_sm(config, kernel), static_cast<std::uint32_t>(count));
}

TEST(Turns, WarpsAlternateWhereAPipeIsTaken) {
  const std::vector<std::uint32_t> warps = turns_of("B------:R-:W-:-:S01 MUFU.EX2 R4, R5", 8, 12);
  ASSERT_EQ(warps.size(), 24u);
  for (std::size_t i = 6; i + 3 < warps.size(); ++i) {
    EXPECT_NE(warps[i], warps[i - 1]) << i;
    EXPECT_EQ(warps[i], warps[i - 3]) << i;
  }
}

TEST(Turns, AWarpGoesOnAtATakenPipeWithWhatItMayReuseUntilItYields) {
  const std::string stays = "B------:R-:W-:-:S02 IADD3 R4, R5.reuse, R6, R7 ;\n";
  const std::string yields = "B------:R-:W-:Y:S02 IADD3 R4, R5, R6, R7";
  const auto changes = [](const std::vector<std::uint32_t>& warps) {
    return std::count_if(warps.begin() + 1, warps.end(), [](const std::uint32_t& w) { return w != *(&w - 1); });
  };
  EXPECT_GE(changes(turns_of(yields, 24, 12)), 60) << "each time";
  config::GpuConfig config = without_code_misses("h200");
  SassKernel kernel(repeated(stays + stays + stays + yields + " ;\n", 6) + "EXIT ;\n", config.arch);
  kernel.warps(12);
  const std::vector<std::uint32_t> fours = turns(run_sm(config, kernel), 24);
  ASSERT_EQ(fours.size(), 72u);
  EXPECT_LE(changes(fours), 22) << "every fourth time";
  EXPECT_GE(changes(fours), 14);
}

TEST(Turns, AWarpGoesOnWhereNothingKeepsIt) {
  const std::vector<std::uint32_t> warps = turns_of("B------:R-:W-:-:S01 FFMA R4, R5, R6, R7", 8, 8);
  ASSERT_EQ(warps.size(), 16u);
  EXPECT_LT(std::count_if(warps.begin() + 1, warps.end(), [&](const std::uint32_t& w) { return w != *(&w - 1); }), 8);
}

TEST(Turns, WarpsAlternateWhereTheMemoryQueueIsFull) {
  const std::vector<std::uint32_t> warps = turns_of("B------:R-:W-:-:S04 STG.E [R2.64], R8", 40, 8, true);
  ASSERT_EQ(warps.size(), 80u);
  for (std::size_t i = 50; i < 78; ++i) EXPECT_NE(warps[i], warps[i - 1]) << i;
}

}  // namespace
}  // namespace sassim::arch::test
