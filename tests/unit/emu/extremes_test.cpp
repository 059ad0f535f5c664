// SPDX-License-Identifier: Apache-2.0
// Integer minima and maxima of sm_90 (DPX), shifted sums and code addresses, against what the toolkit's manual says of
// them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

/// The word that one thread stores for operands a, b and c in R0, R1 and R2.
std::uint32_t result_of(const std::string& instruction, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::string code = R"(
  MOV R0, c[0x0][0x218]
  MOV R1, c[0x0][0x21c]
  MOV R2, c[0x0][0x220]
  MOV R4, c[0x0][0x210]
  MOV R5, c[0x0][0x214]
)" + instruction + R"(
  STG.E [R4.64], R3
  EXIT
)";
  DeviceMemory memory;
  const std::uint64_t out = memory.allocate(4);
  const auto kernel = make_kernel("one", 90, isa::assemble(code), 20);
  LaunchConfig launch{.grid = {1}, .block = {1}};
  launch.params = pack(out, a, b, c);
  run(*kernel, launch, memory);
  return copy_out<std::uint32_t>(memory, out, 1)[0];
}

constexpr std::uint32_t kMinusOne = 0xffffffff, kMinusFive = 0xfffffffb;

TEST(Extremes, OfASumAndAThirdOperand) {
  EXPECT_EQ(result_of("VIADDMNMX R3, R0, R1, R2, !PT", 3, kMinusFive, kMinusOne), kMinusOne);
  EXPECT_EQ(result_of("VIADDMNMX R3, R0, R1, R2, PT", 3, kMinusFive, kMinusOne), 0xfffffffeu);
  EXPECT_EQ(result_of("VIADDMNMX.U32 R3, R0, R1, R2, PT", 3, kMinusFive, 7), 7u);
  EXPECT_EQ(result_of("VIADDMNMX.RELU R3, R0, R1, R2, !PT", 3, kMinusFive, kMinusOne), 0u);
  EXPECT_EQ(result_of("VIADDMNMX R3, R0, 0x5, R2, PT", 3, 0, 100), 8u);
  EXPECT_EQ(result_of("VIADDMNMX R3, R0, R1, 0x4d, !PT", 3, 4, 0), 0x4du);
}

TEST(Extremes, OfHalves) {
  EXPECT_EQ(result_of("VIADDMNMX.S16x2 R3, R0, R1, R2, !PT", 0x00018000, 0x0001ffff, 0x0001fff0), 0x00027fffu)
      << "halves wrap, and nothing carries from one to the other";
  EXPECT_EQ(result_of("VIADDMNMX.U16x2 R3, R0, R1, R2, PT", 0xfff00001, 0x00200001, 0x00050001), 0x00050001u);
  EXPECT_EQ(result_of("VIMNMX.S16x2 R3, R0, R1, !PT", 0xffff0005, 0x0001fff0, 0), 0x00010005u);
  EXPECT_EQ(result_of("VIMNMX.U16x2 R3, R0, R1, PT", 0xffff0005, 0x0001fff0, 0), 0x00010005u);
  EXPECT_EQ(result_of("VIMNMX.S16x2.RELU R3, R0, R1, PT", 0xffff0005, 0x00010004, 0), 0x00000004u);
  EXPECT_EQ(result_of("VIADD.16x2 R3, R0, R1", 0x0001ffff, 0x00010001, 0), 0x00020000u);
  EXPECT_EQ(result_of("VIADD.16x2 R3, R0, -R1", 0x00020000, 0x00010001, 0), 0x0001ffffu);
  EXPECT_EQ(result_of("VIADD.16x2 R3, -R0, R1", 0x00020001, 0x00010000, 0), 0xffffffffu);
}

TEST(Extremes, OfThreeOperands) {
  EXPECT_EQ(result_of("VIMNMX3 R3, R0, R1, R2, !PT", 3, kMinusFive, 9), 9u);
  EXPECT_EQ(result_of("VIMNMX3.U32 R3, R0, R1, R2, PT", 3, kMinusFive, 9), 3u);
  EXPECT_EQ(result_of("VIMNMX3.RELU R3, R0, R1, R2, PT", 3, kMinusFive, 9), 0u);
  EXPECT_EQ(result_of("VIMNMX3.S16x2 R3, R0, R1, R2, !PT", 0x00010002, 0x0003ffff, 0xfffe0001), 0x00030002u);
}

// The predicates of __vibmax_s16x2: of the lower and of the upper half, whether the first operand is the result.
TEST(Extremes, TellWhichOperandWasTaken) {
  const auto taken = [](std::uint32_t a, std::uint32_t b) {
    return result_of(R"(
  VIMNMX.S16x2 R6, P0, P1, R0, R1, !PT
  MOV R3, RZ
  @P0 IADD3 R3, R3, 0x1, RZ
  @P1 IADD3 R3, R3, 0x2, RZ
)",
                     a, b, 0);
  };
  EXPECT_EQ(taken(0x00020001, 0x00010002), 2u);
  EXPECT_EQ(taken(0x00010002, 0x00020001), 1u);
  EXPECT_EQ(taken(0x00010002, 0x00010002), 3u);
}

// cuBLAS steps back through memory so: the pair {R1, R0} is subtracted, shifted, from the pair {c, R2}.
TEST(ShiftedAdd, OfAComplementTakesTheWholePair) {
  const std::string upper = R"(
  LEA R6, P2, -R0, R2, 0x3
  LEA.HI.X R3, ~R0, 0x200, R1, 0x3, P2
)";
  const auto expected = [](std::uint64_t low, std::uint64_t high, std::uint64_t from) {
    return static_cast<std::uint32_t>(((std::uint64_t{0x200} << 32 | from) - ((high << 32 | low) << 3)) >> 32);
  };
  EXPECT_EQ(result_of(upper, 5, 0, 4096), expected(5, 0, 4096));
  EXPECT_EQ(result_of(upper, 5, 0, 8), expected(5, 0, 8));
  EXPECT_EQ(result_of(upper, 0x80000001, 2, 0x100), expected(0x80000001, 2, 0x100));
  EXPECT_EQ(result_of(upper, kMinusFive, kMinusOne, 0xfffffff0), expected(kMinusFive, kMinusOne, 0xfffffff0));
}

// ptxas of CUDA 12 makes the return address of a call through a table: from its own address, or from a label.
TEST(CodeAddress, IsThatOfALabelOrItsOwn) {
  EXPECT_EQ(result_of(R"(
  MOV R3, 0x1
  LEPC R6, `(there)
  JMX R6
  MOV R3, 0x2
there:
)",
                      0, 0, 0),
            1u);
  EXPECT_EQ(result_of(R"(
  MOV R3, 0x1
  LEPC R6
  JMX R6, 0x30
  MOV R3, 0x2
)",
                      0, 0, 0),
            1u);
}

}  // namespace
}  // namespace sassim::emu
