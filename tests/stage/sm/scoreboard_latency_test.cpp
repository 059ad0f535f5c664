// SPDX-License-Identifier: Apache-2.0
// How long readers wait for a result in traces without control bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/wait_graph.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

config::GpuConfig scoreboard(const char* name) {
  config::GpuConfig config = without_code_misses(name);
  config.sm.issue.dependence = "scoreboard";
  return config;
}

std::uint32_t latency(const config::GpuConfig& config, isa::OpClass op) {
  return config.sm.pipes.ops[static_cast<std::size_t>(op)].latency;
}

/// Cycles from the issue of the first line to the issue of the second.
std::uint64_t distance(const config::GpuConfig& config, const std::string& writer, const std::string& reader) {
  const std::string bits = "B------:R-:W-:-:S01 ";
  SassKernel kernel(bits + writer + " ;\n" + bits + reader + " ;\n" + bits + "EXIT ;\n", config.arch);
  std::array<std::uint64_t, 3> at{};
  for (const SmRun::Issue& issue : run_sm(config, kernel).issues) at.at(issue.line) = issue.cycle;
  return at[1] - at[0];
}

TEST(Forwarding, AnotherPipeWaitsLongerThanTheOwn) {
  for (const char* name : {"t4", "v100", "h200"}) {
    const config::GpuConfig config = scoreboard(name);
    const std::uint32_t later = config.sm.pipes.forwarding.other_pipe;
    ASSERT_GT(later, 0u);
    const std::uint32_t alu = latency(config, isa::OpClass::int_alu), fma = latency(config, isa::OpClass::fp32);
    EXPECT_EQ(distance(config, "LOP3.LUT R4, R8, R9, R10, 0x3c, !PT", "IADD3 R5, R4, R9, R10"), alu);
    EXPECT_EQ(distance(config, "LOP3.LUT R4, R8, R9, R10, 0x3c, !PT", "FADD R5, R4, R9"), alu + later);
    EXPECT_EQ(distance(config, "FADD R4, R8, R9", "FADD R5, R4, R9"), fma);
    EXPECT_EQ(distance(config, "FADD R4, R8, R9", "IADD3 R5, R4, R9, R10"), fma + later);
  }
}

TEST(Forwarding, AnAddressWaitsForTheQueue) {
  const config::GpuConfig config = scoreboard("t4");
  const std::uint32_t ready = latency(config, isa::OpClass::int_alu);
  EXPECT_EQ(distance(config, "IADD3 R4, R8, R9, R10", "LDS R5, [R4]"), ready + config.sm.pipes.forwarding.queue);
  EXPECT_EQ(distance(config, "IADD3 R4, R8, R9, R10", "MUFU.RCP R5, R4"), ready + config.sm.pipes.forwarding.queue);
}

TEST(Forwarding, APredicateGuardsLaterThanItSelects) {
  const config::GpuConfig config = scoreboard("h200");
  const std::uint32_t ready = latency(config, isa::OpClass::int_cmp), guard = config.sm.pipes.forwarding.guard;
  const std::string compare = "ISETP.GT.AND P0, PT, R8, R9, PT";
  EXPECT_EQ(distance(config, compare, "SEL R4, R8, R9, P0"), ready);
  EXPECT_EQ(distance(config, compare, "@P0 SEL R4, R8, R9, P1"), ready + guard);
  EXPECT_EQ(distance(config, compare, "@P1 SEL R4, R8, R9, P0"), ready) << "another one guards it";
  EXPECT_EQ(distance(config, compare, "@!P0 EXIT"), ready + guard);
}

TEST(Forwarding, NoneIsTheSameTimeForAllReaders) {
  config::GpuConfig config = scoreboard("h200");
  config.sm.pipes.forwarding.other_pipe = config.sm.pipes.forwarding.guard = 0;
  EXPECT_EQ(distance(config, "FADD R4, R8, R9", "IADD3 R5, R4, R9, R10"), latency(config, isa::OpClass::fp32));
  EXPECT_EQ(distance(config, "ISETP.GT.AND P0, PT, R8, R9, PT", "@P0 EXIT"), latency(config, isa::OpClass::int_cmp));
}

TEST(MatrixLatency, FollowsTheLengthOfARow) {
  const config::GpuConfig config = scoreboard("h200");
  const config::Tensor& mma = config.sm.pipes.mma;
  const auto of = [&](const std::string& opcode) {
    return distance(config, opcode + " R4, R8, R16, R20", "IADD3 R24, R4, R9, R10");
  };
  EXPECT_EQ(of("HMMA.1688.F32"), mma.latency_1688);
  EXPECT_EQ(of("HMMA.16816.F32"), mma.latency_16816);
  EXPECT_EQ(of("HMMA.1684.F32.TF32"), mma.latency_1688);
  EXPECT_EQ(of("HMMA.1688.F32.TF32"), mma.latency_16816);
  const auto of_bytes = [&](const std::string& opcode) {
    return distance(config, opcode + " R4, R8.ROW, R16.COL, R20", "IADD3 R24, R4, R9, R10");
  };
  EXPECT_EQ(of_bytes("IMMA.16816.S8.S8"), mma.latency_1688);
  EXPECT_EQ(of_bytes("IMMA.16832.S8.S8"), mma.latency_16816);
  EXPECT_EQ(of_bytes("IMMA.8816.S8.S8"), latency(config, isa::OpClass::imma));
  EXPECT_EQ(distance(config, "HMMA.SP.16816.F32 R4, R8, R16, R20, R30, 0x0", "IADD3 R24, R4, R9, R10"),
            mma.latency_1688);
}

// A 64-bit product passes dispatch twice (h200/instructions.md#pipes).

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

// Waits that end by themselves, as the wait-for graph has them.
namespace sassim::arch::test {
namespace {

using testing::HasSubstr;

std::string report_of(const std::string& text) {
  try {
    run_sm(volta(), SassKernel(text), Cycle(1000));
  } catch (const Stuck& stuck) {
    return stuck.graph().text(20);
  }
  return "it ended";
}

TEST(SmWaits, ANapSaysWhenItEnds) {
  const std::string text = report_of("B------:R-:W-:-:S02 NANOSLEEP 100000 ;\nEXIT ;\n");
  EXPECT_THAT(text, HasSubstr("warp 0 of thread block 0: SM 0, processing block 0, after 'NANOSLEEP"));
  EXPECT_THAT(text, HasSubstr("at pc 0x0000, before 'EXIT' at pc 0x0010: sleeping ("));
  EXPECT_THAT(text, HasSubstr("  continues at cycle "));
  EXPECT_THAT(text, HasSubstr(" -> time\n"));
}

}  // namespace
}  // namespace sassim::arch::test
