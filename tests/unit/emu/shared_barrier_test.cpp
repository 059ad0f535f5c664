// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory: who waits lets others run, and what a trace says of them.
#include <gtest/gtest.h>

#include "sim/emu/core/emulator.h"
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

}  // namespace
}  // namespace sassim::emu
