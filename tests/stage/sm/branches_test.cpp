// SPDX-License-Identifier: Apache-2.0
// What a taken branch costs, backward and forward in the code; how the cycles at a barrier are counted.
#include <gtest/gtest.h>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

/// Cycles from the issue of a taken branch to that of what it leads to.
struct Cost {
  std::uint64_t backward, forward;
};

Cost cost(const config::GpuConfig& config) {
  std::string between;
  for (int i = 0; i < 24; ++i) between += "NOP ;\n";
  SassKernel kernel(
      "back:\nB------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n"
      "B------:R-:W-:-:S05 @P0 BRA back ;\n"
      "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n"
      "B------:R-:W-:-:S05 BRA over ;\n" +
          between + "over:\nB------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n",
      config.arch);
  kernel.loop("back", 3);
  const SmRun run = run_sm(config, kernel);
  const auto at = [&](std::uint32_t line, std::size_t n) { return run.issues_of(0, line).at(n); };
  EXPECT_EQ(at(0, 2) - at(1, 1), at(0, 1) - at(1, 0));
  return {at(0, 1) - at(1, 0), at(kernel.line_of("over"), 0) - at(3, 0)};
}

TEST(Branches, ForwardOnesHaveALatencyOfTheirOwn) {
  config::GpuConfig config = without_code_misses("h200");
  const std::uint64_t fetched = config.sm.front_end.l0_latency + config.sm.front_end.decode_latency;
  const Cost measured = cost(config);
  EXPECT_EQ(measured.backward, config.sm.issue.branch_latency + fetched);
  EXPECT_EQ(measured.forward, config.sm.issue.forward_branch_latency + fetched);
  EXPECT_EQ(4 + measured.forward, 22u) << "from one FFMA over a jump to the next: NOTES-h200.md";

  config.sm.issue.forward_branch_latency = 0;
  const Cost equal = cost(config);
  EXPECT_EQ(equal.backward, measured.backward);
  EXPECT_EQ(equal.forward, measured.backward);
}

// The stall count of a barrier's own instruction comes first: what Nsight counts as `wait` in kernels with many
// barriers.
TEST(Barriers, TheStallCountOfABarrierIsNoWaitingForOthers) {
  const auto cycles = [](const std::string& stall, StallReason reason) {
    SassKernel kernel(
        "late:\nB------:R-:W-:-:S15 NOP ;\nB------:R-:W-:-:S15 NOP ;\nB------:R-:W-:-:S15 NOP ;\n"
        "early:\nB------:R-:W-:-:" +
        stall + " BAR.SYNC 0x0 ;\nB------:R-:W-:-:S05 EXIT ;\n");
    kernel.warps(2).entry([](std::uint32_t warp) { return warp == 0 ? "early" : "late"; });
    return run_sm(without_code_misses("v100"), kernel).lines[4].cycles[index(reason)];
  };
  EXPECT_EQ(cycles("S09", StallReason::wait), cycles("S02", StallReason::wait) + 2 * 7);
  EXPECT_EQ(cycles("S09", StallReason::barrier), cycles("S02", StallReason::barrier) - 2 * 7);
}

}  // namespace
}  // namespace sassim::arch::test
