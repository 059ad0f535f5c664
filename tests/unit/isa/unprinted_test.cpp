// SPDX-License-Identifier: Apache-2.0
// Encodings, and the text that CUDA 12.4's disassembler prints for them.
#include "sim/isa/unprinted.h"

#include <gtest/gtest.h>

#include <string>

namespace sassim::isa {
namespace {

TEST(Unprinted, HasTheTextOfALaterDisassembler) {
  const auto text = [](std::uint64_t low, std::uint64_t high) {
    return unprinted_instruction(low, high).value_or("none");
  };
  EXPECT_EQ(text(0x0000004d02007446, 0x004fe4000780010b), "VIADDMNMX R0, R2, R11, 0x4d, !PT");
  EXPECT_EQ(text(0x12345678060a7446, 0x008fe4000380020f), "VIADDMNMX.U16x2 R10, R6, R15, 0x12345678, PT");
  EXPECT_EQ(text(0x00000005020b7246, 0x004fca0003801306), "VIADDMNMX.S16x2.RELU R11, R2, R5, R6, PT");
  EXPECT_EQ(text(0x00000005020b7246, 0x004fca0007800006), "VIADDMNMX.U32 R11, R2, R5, R6, !PT");
  EXPECT_EQ(text(0x0e155d2a210a1846, 0x00000000007e0004), "@P1 VIADDMNMX.U32 R10, R33, 0xe155d2a, R4, P0");
  EXPECT_EQ(text(0x000003e8040b7848, 0x020fc80003fe1100), "VIMNMX.RELU R11, R4, 0x3e8, PT");
  EXPECT_EQ(text(0x0000000502007248, 0x004fc80003900200), "VIMNMX.U16x2 R0, P0, P1, R2, R5, PT");
  EXPECT_EQ(text(0x0000000502097248, 0x004fca0007fe0300), "VIMNMX.S16x2 R9, R2, R5, !PT");
  EXPECT_EQ(text(0x00000005020b720f, 0x004fca0007801106), "VIMNMX3.RELU R11, R2, R5, R6, !PT");
  EXPECT_EQ(text(0x0000000502097236, 0x004fca0000000200), "VIADD.16x2 R9, R2, R5");
  EXPECT_EQ(text(0x683115a80a947836, 0x0000000000000000), "VIADD R148, R10, 0x683115a8");
  EXPECT_EQ(text(0x0000000502097236, 0x044fca0000000000), "VIADD R9, R2.reuse, R5");
  EXPECT_EQ(text(0x000000b8b9b8723e, 0x011fe400000000ff), "F2FP.PACK_AB R184, R185, R184");
}

TEST(Unprinted, FormsThatNobodyHasSeenHaveNone) {
  EXPECT_FALSE(unprinted_instruction(0x8000000502097236, 0x004fca0000000000)) << "a sign";
  EXPECT_FALSE(unprinted_instruction(0x0000000502097248, 0x004fca0003fe4100)) << "an unknown bit";
  EXPECT_FALSE(unprinted_instruction(0x000000b8b9b8723e, 0x011fe400000010ff)) << "another form of F2FP";
  EXPECT_FALSE(unprinted_instruction(0x0000000502097224, 0x004fca0000000000)) << "another opcode";
  EXPECT_FALSE(unprinted_instruction(0x0000000502097648, 0x004fca0003fe0100)) << "two operands have no third one";
}

}  // namespace
}  // namespace sassim::isa
