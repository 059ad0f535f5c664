// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "sim/isa/code_rules.h"
#include "sim/isa/eviction.h"
#include "sim/isa/exact_immediates.h"
#include "sim/isa/opcode.h"
#include "sim/isa/unprinted.h"

namespace sassim::isa {
namespace {

TEST(ControlBits, ReadTheFieldsOfAnEncoding) {
  // LDG of sm_75 as the disassembler prints it: waits for nothing, releases counter 2 on write, stalls 4.
  const ControlBits c = decode_control(0x000ea800001ee900);
  EXPECT_EQ(c, (ControlBits{.stall = 4, .yield = false, .write_counter = 2, .read_counter = kNoCounter}));
  // FFMA with reuse of slots a and b, waiting for counters 0 and 1.
  const ControlBits d =
      decode_control(std::uint64_t{0b011} << 58 | std::uint64_t{0b000011} << 52 | std::uint64_t{7} << 49 |
                     std::uint64_t{7} << 46 | std::uint64_t{0} << 45 | std::uint64_t{2} << 41);
  EXPECT_EQ(d, (ControlBits{.stall = 2, .yield = true, .wait_mask = 0b11, .reuse = 0b011}))
      << "yield is the bit at zero";
}

TEST(ControlBits, EncodeIsTheInverse) {
  const std::uint64_t rest = 0x80000123456789ab & ~(std::uint64_t{0xfffff} << 41);
  for (std::uint64_t field = 0; field < (1u << 20); field += 77) {
    const std::uint64_t word = rest | field << 41;
    ASSERT_EQ(encode_control(rest, decode_control(word)), word);
  }
}

// One word in front of seven instructions: envytools' description of its bits.
TEST(ControlWords, OfKeplerHaveStallCounts) {
  constexpr std::uint64_t kFields[] = {0x04, 0x20, 0x2a, 0x83, 0x00, 0x7f, 0x25};
  std::uint64_t word = std::uint64_t{2} << 58;
  for (std::size_t i = 0; i < 7; ++i) word |= kFields[i] << (2 + 8 * i);
  std::vector<int> stalls;
  for (std::uint64_t i = 0; i < 7; ++i) stalls.push_back(decode_stall(spread_stall(word, i)).stall);
  EXPECT_THAT(stalls, ::testing::ElementsAre(0, 1, 11, 7, 16, 32, 6)) << "0: with the next one; 16: not counted";
}

TEST(ControlWords, OfMaxwellHaveTwentyOneBitsForEachOfThree) {
  std::uint64_t word = 0;
  for (std::uint64_t i = 0; i < 3; ++i) word |= (i + 3) << (21 * i);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(decode_control(spread_control(word, i)).stall, i + 3);
}

TEST(ShortImmediates, HaveASignOrAreUpperBits) {
  const auto encoded = [](const char* text, std::uint64_t bits, std::uint64_t sign, int sm) {
    Instruction instruction = parse_instruction(text);
    instruction.low = bits << (sm < 50 ? 23 : 20) | sign << (sm < 50 ? 59 : 56);
    return encoded_immediate(instruction, architecture(sm));
  };
  for (const int sm : {35, 61}) {
    EXPECT_EQ(encoded("IADD R0, R1, -0x10", 0x7fff0, 1, sm), 0xfffffff0u);
    EXPECT_EQ(encoded("FADD R0, R1, -1", 0x3f800, 1, sm), 0xbf800000u);
    EXPECT_EQ(encoded("IADD32I R0, R1, 0x12345678", 0x12345678, 0, sm), 0x12345678u);
  }
  Instruction sum = parse_instruction("IADD3 R0, R1, 0xffff0, R2");
  sum.low = 1;
  set_exact_immediates(sum, architecture(61));
  EXPECT_EQ(sum.operands[2].value, -16);
}

TEST(SuffixS, IsABranchOfKepler) { EXPECT_EQ(decode(parse_instruction("NOP.S"), 35).flow, ControlFlow::branch); }

TEST(Assemble, ReadsControlBitsLabelsAndComments) {
  const auto code = assemble(R"(
// a loop
      B01----:R3:W-:Y:S02  FFMA R0, R1.reuse, R2, R3.reuse ;
loop:
  B-----5:R-:W0:-:S15 @P0 LDG.E R2, [R4.64] ; // load
  BRA loop
  EXIT ;
)");
  ASSERT_EQ(code.size(), 4u);
  EXPECT_EQ(code[0].control,
            (ControlBits{.stall = 2, .yield = true, .read_counter = 3, .wait_mask = 0b11, .reuse = 0b101}));
  EXPECT_EQ(decode_control(code[0].high), code[0].control) << "the encoding carries them too";
  EXPECT_EQ(code[1].control, (ControlBits{.stall = 15, .write_counter = 0, .wait_mask = 0b100000}));
  EXPECT_EQ(code[2].operands[0].value, 0x10);
  EXPECT_EQ(code[2].text(), "BRA 0x10");
  EXPECT_EQ(code[3].control, ControlBits{}) << "stall 1 and nothing else";
  EXPECT_EQ(code[3].pc, 0x30u);
}

TEST(Assemble, PrintsWhatItReads) {
  for (const char* text : {"B------:R-:W-:-:S00", "B0-2--5:R1:W5:Y:S15"})
    EXPECT_EQ(control_text(assemble(std::string(text) + " NOP ;")[0].control), text);
}

TEST(Assemble, NamesThePlaceOfAMistake) {
  const auto message = [](const char* text) {
    try {
      assemble(text, "loop.sass");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message("\nB------:R-:W9:-:S01 NOP ;"), HasSubstr("loop.sass:2:13: expected a counter of 0 to 5"));
  EXPECT_THAT(message("B------:R-:W-:-:S16 NOP ;"), HasSubstr("expected a stall of 0 to 15"));
  EXPECT_THAT(message("BRA nowhere ;"),
              HasSubstr("loop.sass:1: expected a label of this function, 'nowhere' is not one"));
  EXPECT_THAT(message("a:\na:\n"), HasSubstr("loop.sass:2:3: expected a label that is not defined before"));
}

struct Line {
  const char* text;
  std::uint64_t low = 0, high = 0;
};

/// Whether the last instruction's lines are to leave the L2 first.
bool last_evicts_first(const std::vector<Line>& lines) {
  std::vector<Instruction> code;
  std::vector<Decoded> decoded;
  for (const Line& line : lines) {
    code.push_back(parse_instruction(line.text));
    code.back().low = line.low, code.back().high = line.high;
    decoded.push_back(decode(code.back(), 90));
  }
  mark_evictions(code, decoded);
  return decoded.back().evicts_first;
}

TEST(Eviction, IsThatOfThePolicyInTheDescriptor) {
  const Line load{"LDG.E R3, desc[UR4][R2.64]"};
  EXPECT_TRUE(last_evicts_first({{"UMOV UR5, 0x12f00000"}, load}));
  EXPECT_TRUE(last_evicts_first({{"UMOV UR5, 0x12f00000"}, {"UMOV UR4, 0x0"}, {"UMOV UR6, 0x0"}, load}));
  EXPECT_TRUE(last_evicts_first({{"UMOV UR5, 0x12f00000"}, {"STG.E desc[UR4][R2.64], R3"}}));
  EXPECT_TRUE(last_evicts_first({{"UMOV UR5, 0x13f00000"}, load})) << "no access has the other priority";
  EXPECT_FALSE(last_evicts_first({{"UMOV UR5, 0x14f00000"}, load})) << "evict_last";
  EXPECT_FALSE(last_evicts_first({{"UMOV UR5, 0x12700000"}, load})) << "half of the accesses";
  EXPECT_FALSE(last_evicts_first({{"UMOV UR5, 0x12f00000"}, {"ULDC.64 UR4, c[0x0][0x208]"}, load})) << "overwritten";
  EXPECT_FALSE(last_evicts_first({{"UMOV UR5, 0x12f00000"}, {"LDG.E R3, desc[UR6][R2.64]"}}));
  EXPECT_FALSE(last_evicts_first({load}));
  EXPECT_FALSE(last_evicts_first({{"@UP0 UMOV UR5, 0x12f00000"}, load})) << "perhaps not written";
}

TEST(Eviction, IsAModifier) {
  EXPECT_TRUE(last_evicts_first({{"LDG.E.EF.128 R4, [R2.64]"}}));
  EXPECT_TRUE(last_evicts_first({{"LDG.E.LU R4, [R2.64]"}}));
  EXPECT_TRUE(last_evicts_first({{"LDG.E.NA R4, [R2.64]"}}));
  EXPECT_TRUE(last_evicts_first({{"LD.E.EF R4, [R2.64]"}}));
  EXPECT_TRUE(last_evicts_first({{"STG.E.EF [R2.64], R4"}}));
  EXPECT_FALSE(last_evicts_first({{"LDG.E R4, [R2.64]"}}));
  EXPECT_FALSE(last_evicts_first({{"LDG.E.EL R4, [R2.64]"}})) << "L1::evict_last: ordinary in the L2";
  EXPECT_FALSE(last_evicts_first({{"LDL.LU R4, [R2]"}})) << "local memory";
}

TEST(Eviction, IsFoundInTheEncodingWhereTheTextHasNoDescriptor) {
  const Line policy{"UMOV UR7, 0x12f00000"}, other{"UMOV UR5, 0x12f00000"};
  const Line load{"LDG.E R9, [R2.64]", 0x0000000602097981, 0x000ea2000c1e1900};
  const Line store{"STG.E [R2.64], R9", 0x0000000902007986, 0x000fe8000c101906};
  EXPECT_TRUE(last_evicts_first({policy, load}));
  EXPECT_FALSE(last_evicts_first({other, load}));
  EXPECT_TRUE(last_evicts_first({policy, store}));
  EXPECT_FALSE(last_evicts_first({other, store}));
  EXPECT_FALSE(last_evicts_first({policy, {"LDG.E R9, [R2.64]"}})) << "no encoding";
  EXPECT_FALSE(last_evicts_first({policy, {"LDS R9, [R2]", 0x0000000602097981, 0}})) << "shared memory";
}

// Encodings, and the text that CUDA 12.4's disassembler prints for them.

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
