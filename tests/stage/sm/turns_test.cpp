// SPDX-License-Identifier: Apache-2.0
// What issues in which cycle: warps of an H200's processing block at a pipe that takes them slower than they come
// (h200/instructions.md#warp-scheduling), pairs of instructions of Kepler, Maxwell and Pascal, and schedulers before
// Kepler.
#include <fmt/format.h>
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

/// Issue cycles of the lines of one warp.
std::vector<std::uint64_t> issues(const config::GpuConfig& config, const std::string& text) {
  SassKernel kernel(text, config.arch);
  kernel.info().has_encodings = true;
  const SmRun run = run_sm(config, kernel);
  std::vector<std::uint64_t> at;
  for (const SmRun::Issue& issue : run.issues) at.push_back(issue.cycle);
  return at;
}

/// Cycles from the first of two instructions to the second; control bits as of `first`, none of `second`.
std::uint64_t apart(const config::GpuConfig& config, const std::string& first, const std::string& second) {
  const std::string wait = "B------:R-:W-:-:S06 NOP ;\nB------:R-:W-:-:S06 NOP ;\n";  // both are fetched meanwhile
  const auto at =
      issues(config, wait + first + " ;\nB------:R-:W-:-:S15 " + second + " ;\nB------:R-:W-:-:S15 EXIT ;\n");
  return at.at(3) - at.at(2);
}

const std::string kWithNext = "B------:R-:W-:-:S00 ", kAlone = "B------:R-:W-:-:S01 ";

TEST(Pairs, IssueInOneCycleWhereTheControlBitsSaySo) {
  for (const char* name : {"gtx980", "p100", "p4", "k80"}) {
    const config::GpuConfig config = without_code_misses(name);
    EXPECT_EQ(apart(config, kWithNext + "FFMA R4, R5, R6, R7", "LDS R12, [R13]"), 0u) << name;
    EXPECT_EQ(apart(config, kAlone + "FFMA R4, R5, R6, R7", "LDS R12, [R13]"), 1u) << name;
    EXPECT_GE(apart(config, "B------:R-:W-:Y:S00 FFMA R4, R5, R6, R7", "LDS R12, [R13]"), 1u) << name;
  }
}

TEST(Pairs, OtherGpusIssueOneInstructionInACycle) {
  for (const char* name : {"v100", "t4", "a100", "h200"})
    EXPECT_GE(apart(without_code_misses(name), kWithNext + "FFMA R4, R5, R6, R7", "LDS R12, [R13]"), 1u) << name;
  config::GpuConfig config = without_code_misses("gtx980");
  config.sm.issue.pairs = false;
  EXPECT_EQ(apart(config, kWithNext + "FFMA R4, R5, R6, R7", "LDS R12, [R13]"), 1u);
}

TEST(Pairs, NeedDifferentPipes) {
  const config::GpuConfig maxwell = without_code_misses("gtx980"), kepler = without_code_misses("k80");
  EXPECT_EQ(apart(maxwell, kWithNext + "FADD R4, R5, R6", "FADD R8, R9, R10"), 1u);
  EXPECT_EQ(apart(maxwell, kWithNext + "LDS R4, [R5]", "LDG R8, [R10]"), 1u) << "one queue";
  EXPECT_EQ(apart(kepler, kWithNext + "LDS R4, [R5]", "LDS R8, [R10]"), 1u) << "one queue";
  EXPECT_EQ(apart(kepler, kWithNext + "FADD R4, R5, R6", "FADD R8, R9, R10"), 0u) << "48 lanes";
  config::GpuConfig narrow = kepler;
  narrow.sm.pipes.fma.lanes = 32;
  EXPECT_EQ(apart(narrow, kWithNext + "FADD R4, R5, R6", "FADD R8, R9, R10"), 1u);
}

TEST(Pairs, AreIndependentWhereTheHardwareChecksRegisters) {
  const config::GpuConfig kepler = without_code_misses("k80");
  const std::uint32_t latency = kepler.sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::fp32)].latency;
  EXPECT_EQ(apart(kepler, kWithNext + "FADD R4, R5, R6", "FADD R8, R4, R10"), latency);
  EXPECT_EQ(apart(kepler, kWithNext + "FADD R4, R5, R6", "STS [R13], R4"), latency);
}

TEST(Pairs, OfTheFmaPipeAreThreeInstructionsInTwoCycles) {
  const config::GpuConfig kepler = without_code_misses("k80");
  // Four sets of results, so that none waits for the one before it in its register.
  std::string text;
  for (int pair = 0; pair < 200; ++pair)
    text += kWithNext + fmt::format("FADD R{}, R5, R6 ;\n", 16 + pair % 4) + kAlone +
            fmt::format("FADD R{}, R11, R12 ;\n", 20 + pair % 4);
  SassKernel kernel(text + "EXIT ;\n", kepler.arch);
  kernel.info().has_encodings = true;
  kernel.warps(32);
  const SmRun run = run_sm(kepler, kernel);
  const double per_block = static_cast<double>(run.issued) / kepler.sm.processing_blocks;
  const double rate = per_block / static_cast<double>(run.cycles.value);
  EXPECT_GT(rate, 1.3);
  EXPECT_LE(rate, 1.5);
  // The second of a pair takes no issue slot and no cycle of its warp.
  std::uint64_t slots = 0, second = 0;
  for (const auto& block : run.slots) slots += block[index(StallReason::selected)];
  for (const LineStalls& line : run.lines) second += line.second;
  EXPECT_EQ(slots + second, run.issued);
  EXPECT_EQ(run.warp_reason(StallReason::selected), slots);
}

TEST(Interval, ASchedulerBeforeKeplerIssuesEverySecondCycle) {
  for (const char* name : {"gtx480", "gtx280", "8800gtx"}) {
    const config::GpuConfig config = without_code_misses(name);
    ASSERT_EQ(config.sm.issue.interval, 2u);
    SassKernel kernel(repeated(kAlone + "NOP ;\n", 100) + "EXIT ;\n", config.arch);
    kernel.info().has_encodings = true;
    kernel.warps(8);
    const SmRun run = run_sm(config, kernel);
    const std::uint64_t per_block = run.issued / config.sm.processing_blocks;
    EXPECT_GE(run.cycles.value, 2 * per_block);
    EXPECT_LT(run.cycles.value, 2 * per_block + 100);
  }
}

}  // namespace
}  // namespace sassim::arch::test
