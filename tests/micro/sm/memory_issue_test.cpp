// SPDX-License-Identifier: Apache-2.0
// Tables 1 and 2 of the MICRO 2025 paper: when memory instructions issue, and their WAR and RAW latencies.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/config/loader.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

config::GpuConfig paper() {
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/ampere-test.yaml", {"sm.front_end.perfect=true"});
}

/// Issue cycles of eight loads, relative to the first as cycle 2, for each of `active` processing blocks.
std::vector<std::vector<std::uint64_t>> eight_loads(std::uint32_t active) {
  std::string text = "BAR.SYNC 0x0 ;\n";
  for (int i = 0; i < 8; ++i) text += "B------:R-:W0:-:S01 LDG.E R" + std::to_string(10 + i) + ", [R2.64] ;\n";
  text += "B0-----:R-:W-:-:S01 EXIT ;\nidle:\nEXIT ;\n";
  SassKernel kernel(text, 86);
  kernel.warps(4).entry([=](std::uint32_t warp) { return warp < active ? "" : "idle"; });
  const SmRun run = run_sm_with_memory(paper(), kernel);
  std::uint64_t first = ~0ull;
  for (std::uint32_t w = 0; w < active; ++w) first = std::min(first, run.issues_of(w, 1).at(0));
  std::vector<std::vector<std::uint64_t>> cycles(active);
  for (std::uint32_t w = 0; w < active; ++w)
    for (std::uint32_t line = 1; line <= 8; ++line) cycles[w].push_back(run.issues_of(w, line).at(0) - first + 2);
  return cycles;
}

TEST(MemoryIssue, EightLoadsOfOneToFourProcessingBlocks) {
  using Cycles = std::vector<std::uint64_t>;
  const auto one = eight_loads(1);
  EXPECT_EQ(one[0], (Cycles{2, 3, 4, 5, 6, 13, 17, 21}));
  for (std::uint32_t active = 2; active <= 4; ++active) {
    const auto cycles = eight_loads(active);
    for (std::uint32_t k = 0; k < 5; ++k)
      for (const Cycles& c : cycles) EXPECT_EQ(c[k], 2u + k);
    // From the sixth on the blocks take turns, two cycles apart.
    const std::uint64_t interval = active == 2 ? 4 : active == 3 ? 6 : 8;
    for (std::uint32_t k = 5; k < 8; ++k) {
      Cycles at;
      for (const Cycles& c : cycles) at.push_back(c[k]);
      std::sort(at.begin(), at.end());
      for (std::uint32_t b = 0; b < active; ++b)
        EXPECT_EQ(at[b], 13 + 2 * b + interval * (k - 5)) << active << " blocks, load " << k + 1;
    }
  }
}

struct Access {
  const char* sass;
  unsigned war, raw;  ///< 0: none, or a matter of the memory pipeline's width (tests/unit/lsu)
};

constexpr Access kAccesses[] = {
    {"LDG.E R10, [UR4]", 9, 29},    {"LDG.E.64 R10, [UR4]", 9, 0},    {"LDG.E.128 R12, [UR4]", 9, 0},
    {"LDG.E R10, [R2.64]", 11, 32}, {"LDG.E.64 R10, [R2.64]", 11, 0}, {"LDG.E.128 R12, [R2.64]", 11, 0},
    {"STG.E [UR4], R10", 10, 0},    {"STG.E.64 [UR4], R10", 12, 0},   {"STG.E.128 [UR4], R12", 16, 0},
    {"STG.E [R2.64], R10", 14, 0},  {"STG.E.64 [R2.64], R10", 16, 0}, {"STG.E.128 [R2.64], R12", 20, 0},
    {"LDS R10, [UR4]", 9, 23},      {"LDS.64 R10, [UR4]", 9, 0},      {"LDS.128 R12, [UR4]", 9, 0},
    {"LDS R10, [R2]", 9, 24},       {"LDS.64 R10, [R2]", 9, 0},       {"LDS.128 R12, [R2]", 9, 0},
    {"STS [UR4], R10", 10, 0},      {"STS.64 [UR4], R10", 12, 0},     {"STS.128 [UR4], R12", 16, 0},
    {"STS [R2], R10", 12, 0},       {"STS.64 [R2], R10", 14, 0},      {"STS.128 [R2], R12", 18, 0},
};

std::uint64_t released(const Access& access, bool raw) {
  const std::string control = raw ? "B------:R-:W0:-:S02 " : "B------:R0:W-:-:S02 ";
  // The first access warms the L1; the second is measured.
  SassKernel kernel("B------:R-:W1:-:S02 LDG.E R20, [R22.64] ;\nB-1----:R-:W-:-:S02 NOP ;\n" + control + access.sass +
                        " ;\nB0-----:R-:W-:-:S01 NOP ;\nEXIT ;\n",
                    86);
  const std::string text = access.sass;
  const std::uint64_t width = text.find(".128") != std::string::npos   ? 16
                              : text.find(".64 ") != std::string::npos ? 8
                                                                       : 4;
  const bool shared = text.find("LDS") == 0 || text.find("STS") == 0;
  kernel.shared(1024).addresses([=](std::uint32_t, std::uint32_t line, std::uint64_t, int lane) {
    const auto n = static_cast<std::uint64_t>(lane);
    // Warming brings the four lines that the widest access touches.
    return line == 2 ? (shared ? 0 : 0x10000000) + width * n : 0x10000000 + 16 * n;
  });
  const SmRun run = run_sm_with_memory(paper(), kernel);
  return run.issues_of(0, 3).at(0) - run.issues_of(0, 2).at(0);
}

TEST(MemoryLatency, WriteAfterReadAndReadAfterWrite) {
  for (const Access& access : kAccesses) {
    EXPECT_EQ(released(access, false), access.war) << "WAR of " << access.sass;
    if (access.raw == 0) continue;
    EXPECT_EQ(released(access, true), access.raw) << "RAW of " << access.sass;
  }
}

/// Cycles from the issue of a barrier of one warp to its next instruction, behind `stores` of the warp, on a T4.
std::uint64_t barrier_behind(std::uint32_t stores) {
  std::string text;
  for (std::uint32_t i = 0; i < stores; ++i) text += "B------:R-:W-:-:S01 STS [R2], R4 ;\n";
  text += "B------:R-:W-:-:S01 BAR.SYNC 0x0 ;\nB------:R-:W-:-:S01 EXIT ;\n";
  const SmRun run = run_sm_with_memory(without_code_misses("t4"), SassKernel(text, 75));
  return run.issues_of(0, stores + 1).at(0) - run.issues_of(0, stores).at(0);
}

TEST(MemoryIssue, BarrierOfTuringComesBehindTheStoresInItsQueue) {
  EXPECT_EQ(barrier_behind(0), 14u);
  // Three stores take the address stage for 4 cycles each; the barrier issues 3 cycles after the first.
  EXPECT_EQ(barrier_behind(3), 14u + 3 * 4 - 3);
}

}  // namespace
}  // namespace sassim::arch::test
