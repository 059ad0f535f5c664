// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"

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

}  // namespace
}  // namespace sassim::isa
