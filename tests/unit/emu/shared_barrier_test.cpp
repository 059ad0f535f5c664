// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory: who waits lets others run, and what a trace says of them.
#include <gtest/gtest.h>

#include "sim/emu/core/emulator.h"
#include "sim/emu/core/fault.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

class BarrierSteps : public Recorder {
 public:
  void step(BlockId, std::uint32_t warp, const trace::Step& step) override {
    if (step.has_addresses) steps.push_back({warp, step.index, step.addresses[0], step.detail});
  }
  struct One {
    std::uint32_t warp, index;
    std::uint64_t address;  ///< of lane 0
    trace::Detail said;
  };
  std::vector<One> of(std::uint32_t index) const {
    std::vector<One> found;
    for (const One& one : steps)
      if (one.index == index) found.push_back(one);
    return found;
  }
  std::vector<One> steps;
};

/// Warp 0 makes a barrier for 32 arrivals and arrives; warp 1, whose turn comes first, waits for it.
BarrierSteps meet(const std::string& wait) {
  const auto kernel = make_kernel("meet", 90, isa::assemble(R"(
  S2R R0, SR_TID.X
  UMOV UR4, 0x10
  UMOV UR6, 0x1fffc0
  UMOV UR7, 0x7fff0000
  ISETP.GE.AND P0, PT, R0, 0x20, PT
  @P0 BRA ready
  SYNCS.EXCH.64 URZ, [UR4], UR6
ready:
  BAR.SYNC 0x0
  @!P0 BRA arrives
again:
  )" + wait + R"( P1, [UR4], RZ
  @!P1 BRA again
  EXIT
arrives:
  SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ
  EXIT
)"),
                                  0);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {64}, .dynamic_shared = 128};
  BarrierSteps steps;
  run(*kernel, launch, memory, {.recorder = &steps});
  return steps;
}

constexpr std::uint32_t kMake = 6, kCheck = 9;

TEST(SharedBarrier, ATryWaitThatFailsHasNotHappened) {
  const BarrierSteps steps = meet("SYNCS.PHASECHK.TRANS64.TRYWAIT");
  const auto checks = steps.of(kCheck);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].address, 0x10u);
  EXPECT_TRUE(checks[0].said.phase_test(0)->over);
  EXPECT_FALSE(checks[0].said.phase_test(0)->phase);
}

TEST(SharedBarrier, ATestThatFailsIsExecuted) {
  const auto checks = meet("SYNCS.PHASECHK.TRANS64").of(kCheck);
  ASSERT_GT(checks.size(), 1u);
  EXPECT_FALSE(checks.front().said.phase_test(0)->over);
  EXPECT_TRUE(checks.back().said.phase_test(0)->over);
}

TEST(SharedBarrier, ATraceSaysHowManyArrivalsABarrierIsMadeFor) {
  const auto made = meet("SYNCS.PHASECHK.TRANS64.TRYWAIT").of(kMake);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].address, 0x10u);
  EXPECT_EQ(made[0].said.expected_arrivals(0), 32u);
}

/// Nobody arrives: a GPU says so after some time, and the program can do something else.
TEST(SharedBarrier, ATryWaitEndsAlsoWithoutAnArrival) {
  const auto kernel = make_kernel("alone", 90, isa::assemble(R"(
  UMOV UR4, 0x10
  UMOV UR6, 0x1fffc0
  UMOV UR7, 0x7fff0000
  SYNCS.EXCH.64 URZ, [UR4], UR6
  SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ
  EXIT
)"),
                                  0);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}, .dynamic_shared = 128};
  BarrierSteps steps;
  const RunResult result = run(*kernel, launch, memory, {.recorder = &steps});
  EXPECT_EQ(result.warp_instructions, 6u);
  ASSERT_EQ(steps.of(4).size(), 1u);
  EXPECT_FALSE(steps.of(4)[0].said.phase_test(0)->over);
}

/// CUDA 11.8 compiles a limit of try_wait to this; the H200 does not sleep.
TEST(SharedBarrier, TheSleepBehindATryWaitIsShort) {
  const auto slept = [](const std::string& sleep) {
    const auto kernel = make_kernel("sleep", 90, isa::assemble("  MOV R2, 0x100000\n  " + sleep + " R2\n  EXIT\n"), 0);
    DeviceMemory memory;
    struct : Recorder {
      void step(BlockId, std::uint32_t, const trace::Step& step) override {
        if (const auto time = step.detail.sleep()) said = *time;
      }
      std::uint32_t said = ~0u;
    } recorder;
    run(*kernel, {.grid = {1}, .block = {32}}, memory, {.recorder = &recorder});
    return recorder.said;
  };
  EXPECT_EQ(slept("NANOSLEEP.SYNCS"), 0u);
  EXPECT_EQ(slept("NANOSLEEP"), 0x100000u);
}

/// Thread 0 makes a barrier for one arrival at 0x10, does `then`, and stores whether the first phase is over, and the
/// word at 0x100 of shared memory.
std::vector<std::uint32_t> after(const std::string& then) {
  const auto kernel = make_kernel("bytes", 90, isa::assemble(R"(
  MOV R2, c[0x0][0x210]
  MOV R3, c[0x0][0x214]
  R2UR UR8, R2
  R2UR UR9, R3
  UMOV UR4, 0x10
  UMOV UR6, 0x1ffffe
  UMOV UR7, 0x7ffff800
  SYNCS.EXCH.64 URZ, [UR4], UR6
  UMOV UR6, 0x100
  UMOV UR7, 0x10
  UMOV UR10, 0x4
  MOV R4, 0x40
)" + then + R"(
  SYNCS.PHASECHK.TRANS64 P1, [UR4], RZ
  SEL R6, R3, RZ, P1
  LDS R7, [0x100]
  STG.E [R2+0x40], R6
  STG.E [R2+0x44], R7
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  std::vector<std::uint32_t> words(18, 0);
  words[0] = 77;
  const std::uint64_t at = copy_in(memory, words);
  LaunchConfig launch{.grid = {1}, .block = {1}, .dynamic_shared = 1024};
  launch.params = pack(at);
  run(*kernel, launch, memory);
  words = copy_out<std::uint32_t>(memory, at, 18);
  return {words[16] != 0, words[17]};
}

TEST(SharedBarrier, ExpectedBytesKeepThePhaseOpen) {
  using Result = std::vector<std::uint32_t>;
  EXPECT_EQ(after("  SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\n"), (Result{1, 0}));
  EXPECT_EQ(after("  SYNCS.ARRIVE.TRANS64 RZ, [UR4], R4\n"), (Result{0, 0})) << "an arrival that expects bytes";
  EXPECT_EQ(after("  SYNCS.ARRIVE.TRANS64.RED.A0TR RZ, [UR4], R4\n  SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\n"),
            (Result{0, 0}));
  EXPECT_EQ(after("  SYNCS.ARRIVE.TRANS64 RZ, [UR4], R4\n  SYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [UR4], R4\n"),
            (Result{1, 0}));
}

TEST(SharedBarrier, ABulkCopyCompletesTheBytes) {
  using Result = std::vector<std::uint32_t>;
  const std::string copy = "  UBLKCP.S.G [UR6], [UR8], UR10\n";
  EXPECT_EQ(after("  SYNCS.ARRIVE.TRANS64 RZ, [UR4], R4\n" + copy), (Result{1, 77}));
  EXPECT_EQ(after("  UMOV UR10, 0x2\n  SYNCS.ARRIVE.TRANS64 RZ, [UR4], R4\n" + copy), (Result{0, 77}))
      << "half of them";
  EXPECT_THROW(after("  UMOV UR10, 0x1000\n" + copy), DeviceFault);
  EXPECT_THROW(after("  UMOV UR6, 0x104\n" + copy), DeviceFault) << "not aligned";
}

}  // namespace
}  // namespace sassim::emu
