// SPDX-License-Identifier: Apache-2.0
// LDC, S2R and S2UR of an H200 in their queues to the ADU (h200/code-and-constants.md#constant-caches).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

constexpr const char* kLoad = "B------:R-:W0:-:S01 LDC R4, c[0x3][R2] ;\n";

/// An H200 whose constants come late.
config::GpuConfig late_constants() {
  config::GpuConfig config = without_code_misses("h200");
  config.sm.constant.l15_latency = 600;
  return config;
}

/// How many warps have issued `line` before a line of constants arrives.
std::size_t early(const config::GpuConfig& config, const std::string& lines, std::uint32_t warps, std::uint32_t line) {
  SassKernel kernel(lines + "B------:R-:W-:-:S05 EXIT ;\n", config.arch);
  kernel.warps(warps);
  kernel.addresses([](std::uint32_t, std::uint32_t, std::uint64_t, int) { return 3ull << 32; });
  const SmRun run = run_sm_with_memory(config, kernel);
  const std::uint64_t start = run.issues.front().cycle;
  return static_cast<std::size_t>(std::count_if(run.issues.begin(), run.issues.end(), [&](const SmRun::Issue& issue) {
    return issue.line == line && issue.cycle < start + 500;
  }));
}

TEST(AduQueue, LoadsThatMissFillTheCacheAndTheQueues) {
  const config::GpuConfig config = late_constants();
  const config::MemoryIo& io = config.sm.memory_io;
  EXPECT_EQ(early(config, kLoad, 32, 0), 32u);
  EXPECT_EQ(early(config, std::string(kLoad) + kLoad, 32, 0) + early(config, std::string(kLoad) + kLoad, 32, 1),
            io.adu_queue.loads + 4 * io.adu_queue.entries);
}

TEST(AduQueue, SpecialRegistersWaitBehindLoadsButThreadIndicesDoNot) {
  const config::GpuConfig config = late_constants();
  const std::string loads = std::string(kLoad) + kLoad;
  const std::size_t second = early(config, loads, 32, 1);
  EXPECT_LT(second, 32u);
  EXPECT_LT(early(config, loads + "B------:R-:W1:-:S01 S2R R5, SR_CTAID.X ;\n", 32, 2), second);
  EXPECT_LT(early(config, loads + "B------:R-:W1:-:S01 S2UR UR5, SR_TID.X ;\n", 32, 2), second);
  EXPECT_EQ(early(config, loads + "B------:R-:W1:-:S01 S2R R5, SR_TID.X ;\n", 32, 2), second);
}

// Groups of asynchronous copies (h200/shared-memory.md#asynchronous-copies) behind three LDS that no thread executes.
TEST(AddressStage, LoadsThatNoThreadExecutesTakeAsLongAsOthers) {
  const auto cycles = [&](const std::string& guard, std::uint32_t interval) {
    config::GpuConfig config = without_code_misses("h200");
    config.sm.memory_io.shared_address_interval = interval;
    const std::string line = "B------:R-:W-:-:S01 " + guard + "LDS RZ, [RZ] ;\n";
    SassKernel kernel(line + line + line +
                          "B------:R-:W0:-:S02 LDG.E R4, [R2.64] ;\n"
                          "B0-----:R-:W-:-:S05 IADD3 R5, R4, R4, RZ ;\nB------:R-:W-:-:S05 EXIT ;\n",
                      config.arch);
    kernel.addresses([](std::uint32_t, std::uint32_t, std::uint64_t, int) { return 1ull << 20; });
    if (!guard.empty()) kernel.active_at([](std::uint32_t at) { return at < 3 ? LaneMask() : LaneMask::all(); });
    const SmRun run = run_sm_with_memory(config, kernel);
    return run.issues_of(0, 4).at(0) - run.issues_of(0, 0).at(0);
  };
  EXPECT_EQ(cycles("", 4) - cycles("", 2), 3u * 2);
  EXPECT_EQ(cycles("@!PT ", 4), cycles("@!PT ", 2));
}

// Cycles between a special register's read and the instruction that waits for it, as measured on an H200
// (h200/instructions.md#instruction-latencies).
TEST(AduQueue, SpecialRegistersTakeAsLongAsMeasured) {
  const config::GpuConfig config = without_code_misses("h200");
  const auto cycles = [&](const std::string& read) {
    SassKernel kernel("B------:R-:W0:-:S02 " + read + " ;\nB0-----:R-:W-:-:S02 NOP ;\nB------:R-:W-:-:S05 EXIT ;\n",
                      config.arch);
    const SmRun run = run_sm_with_memory(config, kernel);
    return run.issues_of(0, 1).at(0) - run.issues_of(0, 0).at(0);
  };
  for (const char* name : {"SR_CTAID.X", "SR_CgaCtaId", "SR_CLOCKLO"}) {
    EXPECT_EQ(cycles(std::string("S2R R5, ") + name), 25u) << name;
    EXPECT_EQ(cycles(std::string("S2UR UR5, ") + name), 35u) << name;
  }
  for (const char* name : {"SR_TID.X", "SR_LANEID"}) {
    EXPECT_EQ(cycles(std::string("S2R R5, ") + name), 23u) << name;
    EXPECT_EQ(cycles(std::string("S2UR UR5, ") + name), 35u) << name << ": by the ADU, too";
  }
}

TEST(AduQueue, UniformReadsOfSpecialRegistersShareTheQueue) {
  const config::GpuConfig config = without_code_misses("h200");
  std::string lines;
  for (int i = 0; i < 4; ++i) lines += "B------:R-:W0:-:S02 S2UR UR5, SR_CTAID.X ;\n";
  SassKernel kernel(lines + "B0-----:R-:W-:-:S02 NOP ;\nB------:R-:W-:-:S05 EXIT ;\n", config.arch);
  const auto last = [&](std::uint32_t warps) {
    kernel.warps(warps);
    const SmRun run = run_sm_with_memory(config, kernel);
    std::uint64_t first = ~0ull, end = 0;
    for (const SmRun::Issue& issue : run.issues) {
      first = std::min(first, issue.cycle);
      if (issue.line == 4) end = std::max(end, issue.cycle);
    }
    return end - first;
  };
  EXPECT_EQ(last(1), 35u + 3 * 2);
  EXPECT_NEAR(last(4), 35 + 15 * config.sm.memory_io.adu_queue.interval, 4) << "one processing block after another";
}

TEST(AduQueue, AnSmTakesOneEveryInterval) {
  const config::GpuConfig config = without_code_misses("h200");
  std::string lines;
  for (int i = 0; i < 16; ++i) lines += "B------:R-:W1:-:S01 S2R R5, SR_CTAID.X ;\n";
  SassKernel kernel(lines + "B------:R-:W-:-:S05 EXIT ;\n", config.arch);
  kernel.warps(16);
  const SmRun run = run_sm_with_memory(config, kernel);
  std::uint64_t first = ~0ull, last = 0;
  for (const SmRun::Issue& issue : run.issues) {
    first = std::min(first, issue.cycle);
    if (issue.line < 16) last = std::max(last, issue.cycle);
  }
  const config::MemoryIo& io = config.sm.memory_io;
  EXPECT_NEAR(last - first, (16 * 16 - 4 * io.adu_queue.entries) * io.adu_queue.interval, 24);
}

}  // namespace
}  // namespace sassim::arch::test
