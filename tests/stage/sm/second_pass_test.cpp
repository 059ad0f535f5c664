// SPDX-License-Identifier: Apache-2.0
// A 64-bit product passes dispatch twice (h200/pipes.md).
#include <gtest/gtest.h>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

/// When the warps of processing block 0 issued the lines, by line and warp of the processing block.
std::vector<std::vector<std::uint64_t>> issues_of(const config::GpuConfig& config, const char* text,
                                                  std::uint32_t warps) {
  SassKernel kernel(text, config.arch);
  kernel.warps(warps);
  std::vector<std::vector<std::uint64_t>> at(8, std::vector<std::uint64_t>(warps / 4 + 1));
  for (const SmRun::Issue& issue : run_sm(config, kernel).issues)
    if (issue.warp % 4 == 0) at.at(issue.line).at(issue.warp / 4) = issue.cycle;
  return at;
}

TEST(SecondPass, ItsOwnWarpsStallCountStandsStill) {
  const config::GpuConfig config = without_code_misses("h200");
  const std::uint64_t held = config.sm.pipes.second_pass;
  for (const auto& [text, stall] : {std::pair{"B------:R-:W-:-:S01 IMAD.WIDE R4, R8, R9, R10 ;\n"
                                              "B------:R-:W-:-:S01 IADD3 R6, R8, R9, R10 ;\n"
                                              "B------:R-:W-:-:S05 EXIT ;\n",
                                              1u},
                                    {"B------:R-:W-:-:S06 IMAD.WIDE R4, R8, R9, R10 ;\n"
                                     "B------:R-:W-:-:S01 IADD3 R6, R4, R9, R10 ;\n"
                                     "B------:R-:W-:-:S05 EXIT ;\n",
                                     6u}}) {
    const auto at = issues_of(config, text, 1);
    EXPECT_EQ(at[1][0], at[0][0] + stall + held);
  }
}

TEST(SecondPass, OtherWarpsStallCountsStandStillToo) {
  config::GpuConfig config = without_code_misses("h200");
  config.sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::imad_wide)].interval = 2;
  const auto at = issues_of(config,
                            "B------:R-:W-:-:S10 IADD3 R6, R8, R9, R10 ;\n"
                            "B------:R-:W-:-:S01 IMAD.WIDE R4, R8, R9, R10 ;\n"
                            "B------:R-:W-:-:S05 EXIT ;\n",
                            8);
  const std::size_t first = at[0][0] < at[0][1] ? 0 : 1, second = 1 - first;
  EXPECT_EQ(at[1][first], at[0][first] + 10);
  ASSERT_LT(at[0][second], at[1][first]) << "its stall count runs when the product issues";
  EXPECT_EQ(at[1][second], at[0][second] + 10 + config.sm.pipes.second_pass);
}

}  // namespace
}  // namespace sassim::arch::test
