// SPDX-License-Identifier: Apache-2.0
// The watchdog: warps that repeat themselves forever are found, those that compute or make others go on are not.
#include "sim/emu/core/standstill.h"

#include <gtest/gtest.h>

#include "sim/base/wait_graph.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

/// Runs one block with `warps`; what ended it, or an empty text.
std::string end_of(const std::string& code, std::uint32_t warps = 1, std::uint64_t watchdog = 1000,
                   std::uint64_t most = 50'000'000) {
  const auto kernel = make_kernel("ends", 70, isa::assemble(code), 8);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32 * warps}, .dynamic_shared = 128};
  launch.params = pack(memory.allocate(256));
  launch.watchdog = watchdog;
  launch.max_instructions = most;
  try {
    run(*kernel, launch, memory);
  } catch (const Stuck& stop) {
    EXPECT_NE(stop.graph().dot().find("digraph"), std::string::npos);
    return stop.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string kBegin = R"(
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  S2R R0, SR_TID.X
  MOV R9, 0x1
)";

const std::string kSpin = R"(
spin:
  LDG.E.STRONG.SYS R4, [R2]
  ISETP.EQ.AND P1, PT, R4, RZ, PT
  @P1 BRA spin
  EXIT
)";

TEST(Standstill, WarpsThatAskForeverAreFound) {
  const std::string text = end_of(kBegin + kSpin, 4);
  EXPECT_TRUE(contains(text, "kernel ends makes no progress")) << text;
  EXPECT_TRUE(contains(text, "block (0,0,0) warp 3 lanes 0xffffffff: PC")) << text;
  EXPECT_TRUE(contains(text, "polls -> memory 0x")) << text;
  EXPECT_TRUE(contains(text, "holds 0x0")) << text;
}

TEST(Standstill, StoresAndExchangesOfTheSameValueAreNoProgress) {
  EXPECT_TRUE(contains(end_of(kBegin + R"(
spin:
  STG.E.SYS [R2+0x20], R9
  STS [RZ], R9
  ATOMG.E.EXCH.STRONG.GPU PT, R6, [R2+0x40], R9
  BRA spin
)"),
                       "makes no progress"));
}

TEST(Standstill, AValueThatChangesIsProgress) {
  EXPECT_TRUE(contains(end_of(kBegin + R"(
spin:
  ATOMG.E.ADD.STRONG.GPU PT, R6, [R2+0x40], R9
  BRA spin
)",
                              1, 1000, 1'000'000),
                       "--max-instructions"));
}

TEST(Standstill, AClockThatIsReadIsProgress) {
  EXPECT_TRUE(contains(end_of("spin:\n  CS2R.32 R5, SR_CLOCKLO\n  BRA spin\n", 1, 1000, 1'000'000), "--max-instr"));
}

// Its loop counter never has the same value twice.
TEST(Standstill, ALongComputationIsNone) {
  EXPECT_EQ(end_of(kBegin + R"(
  MOV R5, 0x30000
work:
  LDG.E.SYS R4, [R2]
  IADD3 R5, R5, -0x1, RZ
  ISETP.NE.AND P1, PT, R5, RZ, PT
  @P1 BRA work
  STG.E.SYS [R2], R9
  EXIT
)"),
            "");
}

// Warp 1 computes for long, then sets the flag that warp 0 waits for.
TEST(Standstill, AWarpThatComputesKeepsTheOthersAlive) {
  EXPECT_EQ(end_of(kBegin + R"(
  ISETP.LT.AND P0, PT, R0, 0x20, PT
  @P0 BRA spin
  MOV R5, 0x30000
work:
  IADD3 R5, R5, -0x1, RZ
  ISETP.NE.AND P1, PT, R5, RZ, PT
  @P1 BRA work
  STG.E.SYS [R2], R9
  EXIT
)" + kSpin,
                   2),
            "");
}

TEST(Standstill, ZeroSwitchesItOff) {
  EXPECT_TRUE(contains(end_of(kBegin + kSpin, 1, 0, 1'000'000), "executed more than 1000000 warp instructions"));
}

TEST(Standstill, ABarrierThatNotAllReachNamesThem) {
  const std::string gone = end_of(kBegin + R"(
  ISETP.GE.AND P0, PT, R0, 0x20, PT
  @P0 EXIT
  BAR.SYNC 0x1, 0x40
  EXIT
)",
                                  2);
  EXPECT_TRUE(contains(gone, "every thread waits at a barrier")) << gone;
  EXPECT_TRUE(contains(gone, "block (0,0,0) barrier 1: 32 threads have arrived; 64 are expected; 1 warps")) << gone;
  const std::string spins = end_of(kBegin + R"(
  ISETP.GE.AND P0, PT, R0, 0x20, PT
  @P0 BRA spin
  BAR.SYNC 0x0
  EXIT
)" + kSpin,
                                   2);
  EXPECT_TRUE(contains(spins, "makes no progress")) << spins;
  EXPECT_TRUE(contains(spins, "has not been reached by -> block (0,0,0) warp 1")) << spins;
}

}  // namespace
}  // namespace sassim::emu
