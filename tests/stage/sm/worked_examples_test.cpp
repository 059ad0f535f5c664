// SPDX-License-Identifier: Apache-2.0
// The worked examples of the MICRO 2025 paper on modern GPU cores, cycle by cycle.
#include <gtest/gtest.h>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

std::uint64_t elapsed(const SmRun& run, std::uint32_t warp = 0) {
  const auto clocks = run.clock_of(warp);
  EXPECT_EQ(clocks.size(), 2u);
  return clocks.size() == 2 ? clocks[1] - clocks[0] : 0;
}

constexpr const char* kClock = "B------:R-:W-:-:S01 CS2R R40, SR_CLOCKLO ;\n";

std::uint64_t read_port_case(const std::string& x, const std::string& y, bool nop_at_end = true) {
  const std::string text = std::string(kClock) + "NOP ;\nFFMA R11, R10, R12, R14 ;\nFFMA R13, R16, " + x + ", " + y +
                           " ;\n" + (nop_at_end ? "NOP ;\n" : "") + kClock + "EXIT ;\n";
  return elapsed(run_sm(ampere(), SassKernel(text, 86)));
}

TEST(ReadPorts, AnInstructionWaitsInAllocateForItsBank) {
  EXPECT_EQ(read_port_case("R19", "R21"), 5u);
  EXPECT_EQ(read_port_case("R18", "R21"), 6u);
  EXPECT_EQ(read_port_case("R18", "R20"), 7u);
}

TEST(ReadPorts, TheClockIsReadInControlBeforeTheHeldAllocate) { EXPECT_EQ(read_port_case("R18", "R20", false), 4u); }

std::uint64_t stall_case(int stall) {
  const std::string s = stall < 10 ? "0" + std::to_string(stall) : std::to_string(stall);
  const std::string text = "FADD R1, RZ, 1 ;\nFADD R2, RZ, 1 ;\nB------:R-:W-:-:S02 FADD R3, RZ, 1 ;\n" +
                           std::string(kClock) + "NOP ;\nB------:R-:W-:-:S" + s +
                           " FADD R1, R2, R3 ;\nFFMA R5, R1, R1, R1 ;\nNOP ;\n" + kClock + "EXIT ;\n";
  return elapsed(run_sm(ampere(), SassKernel(text, 86)));
}

TEST(Stall, CyclesBetweenProducerAndConsumer) {
  EXPECT_EQ(stall_case(1), 5u);
  EXPECT_EQ(stall_case(4), 8u);
}

}  // namespace
}  // namespace sassim::arch::test
