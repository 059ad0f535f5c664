// SPDX-License-Identifier: Apache-2.0
#include "sim/validate/sass_benchmark.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/config/loader.h"

namespace sassim::validate {
namespace {

config::GpuConfig v100(std::vector<std::string> overrides = {}) {
  overrides.push_back("sm.count=1");
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", overrides);
}

constexpr const char* kChain =
    "//! a = cycles\n//! b = cycles * sm.count + warps\nloop:\n.rept 32\nB------:R-:W-:-:S04 FADD R4, R4, R5 ;\n.endr\n"
    "B------:R-:W-:-:S05 @P0 BRA loop ;\nB------:R-:W-:-:S05 EXIT ;\n";

TEST(SassBenchmark, PrintsWhatATurnOfTheLoopTakes) {
  const auto values = run_sass_benchmark(kChain, "chain", v100());
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].first, "a");
  EXPECT_GE(values[0].second, 32 * 4);
  EXPECT_LT(values[0].second, 32 * 4 + 12) << "the branch";
  EXPECT_DOUBLE_EQ(values[1].second, values[0].second + 1);
}

// Stall counts of four hide a shorter latency; without them results are waited for.
TEST(SassBenchmark, FollowsTheConfiguration) {
  const std::vector<std::string> slow{"sm.pipes.ops.fp32.latency=9"};
  EXPECT_EQ(run_sass_benchmark(kChain, "chain", v100(slow))[0].second,
            run_sass_benchmark(kChain, "chain", v100())[0].second);
  const std::vector<std::string> waits{"sm.pipes.ops.fp32.latency=9", "sm.issue.dependence=scoreboard"};
  EXPECT_GE(run_sass_benchmark(kChain, "chain", v100(waits))[0].second, 32 * 9);
}

// A label is when the instruction behind it issues in the last turn: two warps of one processing block take turns.
TEST(SassBenchmark, LabelsSayWhenInstructionsIssue) {
  const std::string text =
      "//! distance = second - first\n//! others = first - first_first\n//! warps: {warps}\nloop:\n"
      "B------:R-:W-:-:S01 BAR.SYNC 0x0 ;\nB------:R-:W-:-:S15 NOP ;\nfirst:\n"
      "B------:R-:W-:-:S{stall} FADD R4, R4, R5 ;\nsecond:\nB------:R-:W-:-:S01 FADD R4, R4, R5 ;\n"
      "B------:R-:W-:-:S05 @P0 BRA loop ;\nB------:R-:W-:-:S05 EXIT ;\n";
  const auto one = run_sass_benchmark(text, "text", v100(), {"stall=07", "warps=1"});
  EXPECT_EQ(one[0].second, 7);
  EXPECT_EQ(one[1].second, 0);
  EXPECT_GT(run_sass_benchmark(text, "text", v100(), {"stall=07", "warps=5"})[1].second, 0) << "the fifth waits";
  EXPECT_THROW(run_sass_benchmark(text, "text", v100(), {"stal=07", "warps=1"}), InputError);
  EXPECT_THROW(run_sass_benchmark(text, "text", v100(), {"stall", "warps=1"}), InputError);
}

// A load from global memory hits in the L1 from the second turn on.
TEST(SassBenchmark, LoadsFromGlobalMemoryWaitForTheL1) {
  const std::string text =
      "//! raw = use - load\n//! lanes: 1\nloop:\nload:\nB------:R-:W0:-:S02 LDG.E.SYS R4, [R2] ;\nuse:\n"
      "B0-----:R-:W-:-:S01 NOP ;\nB------:R-:W-:-:S05 @P0 BRA loop ;\nB------:R-:W-:-:S05 EXIT ;\n";
  const config::GpuConfig gpu = v100();
  EXPECT_EQ(run_sass_benchmark(text, "text", gpu)[0].second, gpu.sm.l1.hit_latency);
}

TEST(SassBenchmark, RefusesWhatItCannotTime) {
  const std::string exit = "B------:R-:W-:-:S05 EXIT ;\n", back = "B------:R-:W-:-:S05 @P0 BRA loop ;\n",
                    id = "//! a = cycles\n";
  for (const std::string& text : {
           exit,                                         // prints nothing
           id + exit,                                    // no loop
           id + "loop:\n" + back,                        // no end
           id + "//! wraps: 4\nloop:\n" + back + exit,   // no such directive
           id + "//! warps: 33\nloop:\n" + back + exit,  // too many
           id + "loop:\n.rept 2\n" + back + exit,        // .endr is missing
           "//! a = cycle\nloop:\n" + back + exit,       // no such name
           id + "loop:\nB------:R-:W0:-:S02 LDL R4, [R2] ;\n" + back + exit,
       })
    EXPECT_THROW(run_sass_benchmark(text, "text", v100()), InputError) << text;
}

}  // namespace
}  // namespace sassim::validate
