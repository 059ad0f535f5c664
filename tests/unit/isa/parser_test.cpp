// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "sim/isa/code_rules.h"
#include "sim/isa/opcode.h"

namespace sassim::isa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

double as_double(const Operand& operand) { return std::bit_cast<double>(operand.value); }

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseInstruction, SplitsGuardOpcodeAndModifiers) {
  const Instruction i = parse_instruction("@!UP2 LDG.E.64.CONSTANT R2, [R4.64+0x10] ;");
  EXPECT_TRUE(i.guard.negate);
  EXPECT_TRUE(i.guard.uniform);
  EXPECT_EQ(i.guard.index, 2);
  EXPECT_EQ(i.opcode, "LDG");
  EXPECT_THAT(i.modifiers, ElementsAre("E", "64", "CONSTANT"));
  EXPECT_EQ(i.text(), "@!UP2 LDG.E.64.CONSTANT R2, [R4.64+0x10]");
}

TEST(ParseInstruction, ReadsRegistersWithSignsAndParts) {
  const Instruction i = parse_instruction("HFMA2 R1, -|R2.H0_H0|.reuse, ~RZ, !UPT, URZ");
  EXPECT_TRUE(i.operands[1].negate && i.operands[1].absolute && i.operands[1].reuse && i.operands[1].has("H0_H0"));
  EXPECT_EQ(i.operands[2].index, kRZ);
  EXPECT_TRUE(i.operands[2].invert);
  EXPECT_EQ(i.operands[3].kind, OperandKind::upred);
  EXPECT_EQ(i.operands[3].index, kPT);
  EXPECT_TRUE(i.operands[3].invert);
  EXPECT_EQ(i.operands[4].kind, OperandKind::ureg);
  EXPECT_EQ(i.operands[4].index, kURZ);
}

TEST(ParseInstruction, ReadsNumbers) {
  const Instruction i = parse_instruction("FFMA R1, 1.5, -1, +INF");
  EXPECT_EQ(as_double(i.operands[1]), 1.5);
  EXPECT_EQ(i.operands[2].kind, OperandKind::fimm) << "a decimal of a floating-point instruction";
  EXPECT_EQ(as_double(i.operands[2]), -1.0);
  EXPECT_EQ(as_double(i.operands[3]), INFINITY);
  EXPECT_TRUE(std::isnan(as_double(parse_instruction("FADD R0, R1, -QNAN").operands[2])));
  const Instruction j = parse_instruction("IADD3 R1, R2, -0x1, 9.18354961579912115600e-41");
  EXPECT_EQ(j.operands[2].value, -1);
  EXPECT_FALSE(j.operands[2].negate) << "the minus belongs to the number";
  EXPECT_GT(as_double(j.operands[3]), 0);
}

TEST(ParseInstruction, ReadsConstants) {
  const Instruction i = parse_instruction("HFMA2 R1, c[0x0] [0x160].H1_H1, -c[0x3][R2+0x8], cx[UR4][0x10]");
  EXPECT_EQ(i.operands[1].bank, 0);
  EXPECT_EQ(i.operands[1].offset, 0x160);
  EXPECT_TRUE(i.operands[1].has("H1_H1"));
  EXPECT_TRUE(i.operands[2].negate);
  EXPECT_EQ(i.operands[2].bank, 3);
  EXPECT_EQ(i.operands[2].base, 2);
  EXPECT_EQ(i.operands[3].ur_bank, 4);
  EXPECT_EQ(parse_instruction("LDC R0, c[0x0][UR4+0x10]").operands[1].ubase, 4);
}

TEST(ParseInstruction, ReadsAddresses) {
  const Operand a = parse_instruction("LDS R0, [R2.X4+UR5+-0x10]").operands[1];
  EXPECT_EQ(a.kind, OperandKind::memory);
  EXPECT_EQ(a.base, 2);
  EXPECT_EQ(a.scale, 4);
  EXPECT_EQ(a.ubase, 5);
  EXPECT_EQ(a.offset, -16);
  const Operand b = parse_instruction("LDG.E R0, desc[UR6][R2.64+0x8]").operands[1];
  EXPECT_EQ(b.descriptor, 6);
  EXPECT_TRUE(b.base_wide);
  EXPECT_EQ(b.offset, 8);
  const Operand c = parse_instruction("STG.E [R2.U32+UR4], R1").operands[0];
  EXPECT_FALSE(c.base_wide);
  EXPECT_TRUE(c.has("U32"));
  EXPECT_EQ(parse_instruction("HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, !UPT").operands[1].descriptor, 4);
}

TEST(ParseInstruction, ReadsTheRest) {
  const Instruction i = parse_instruction("DEPBAR.LE SB0, 0x1, {3,1}");
  EXPECT_EQ(i.operands[0].kind, OperandKind::scoreboard);
  EXPECT_EQ(i.operands[2].value, 0b1010);
  EXPECT_EQ(parse_instruction("S2R R0, SR_TID.X").operands[1].kind, OperandKind::special);
  EXPECT_EQ(parse_instruction("P2R R0, PR, RZ, 0x7f").operands[1].kind, OperandKind::pred_file);
  EXPECT_EQ(parse_instruction("BMOV.32.CLEAR R16, B6").operands[1].kind, OperandKind::barrier);
  const Instruction brx = parse_instruction("BRX R4 -0x550  (*\"BRANCH_TARGETS .L_x_35,.L_x_36\"*);");
  ASSERT_EQ(brx.operands.size(), 2u) << "operands without a comma between them";
  EXPECT_EQ(brx.operands[1].value, -0x550);
  const Instruction call = parse_instruction("CALL.REL.NOINC R2 0x120");
  EXPECT_EQ(call.operands[1].kind, OperandKind::label);
  EXPECT_EQ(parse_instruction("NOP").operands.size(), 0u);
}

TEST(ParseInstruction, ReadsTheShapesOfTextures) {
  const Instruction fetch = parse_instruction("TLD.LZ RZ, R2, R2, R4, UR4, 1D, 0x1");
  ASSERT_EQ(fetch.operands.size(), 7u);
  EXPECT_EQ(fetch.operands[5].kind, OperandKind::pred_file);
  EXPECT_EQ(fetch.operands[5].text, "1D");
  EXPECT_EQ(fetch.operands[6].value, 1);
  EXPECT_EQ(parse_instruction("TEX.LL RZ, R2, R2, R4, ARRAY_2D, 0x3").operands[4].text, "ARRAY_2D");
}

TEST(ParseInstruction, SaysWhereAndWhatItExpected) {
  const auto message = [](std::string_view text) { return message_of([&] { parse_instruction(text, "k.sass:7"); }); };
  EXPECT_EQ(message("FADD R1, , R2"), "k.sass:7:10: expected an operand at ', R2'");
  EXPECT_THAT(message("FADD R1,"), StartsWith("k.sass:7:9: expected an operand, but the text ends"));
  EXPECT_THAT(message("@P9 FADD R1"), HasSubstr("expected a predicate after '@'"));
  EXPECT_THAT(message("LDG R1, [R2+"), HasSubstr("expected a register or an offset in an address"));
  EXPECT_THAT(message("LDG R1, [R2+R3]"), HasSubstr("at most one register and one uniform register"));
  EXPECT_THAT(message("MOV R1, c[0x99][0x0]"), HasSubstr("a constant bank of 0 to 31"));
  EXPECT_THAT(message("MOV R1, 0x1ffffffffffffffff"), HasSubstr("an integer of at most 64 bits"));
  EXPECT_THAT(message("MOV R1, R2 ; MOV R3, R4"), HasSubstr("the end of the instruction"));
  EXPECT_THAT(message(""), HasSubstr("expected an opcode"));
}

constexpr std::string_view kListing = R"x(
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM75 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM75)"
	.section	.nv.info,"",@"SHT_CUDA_INFO"
        /*0000*/ 	.byte	0x04, 0x2f
	.section	.text._Z1kv,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=1"
_Z1kv:
.text._Z1kv:
        /*0000*/              @!P0 BRA `(.L_x_0) ;                   /* 0x0000001000008947 */
                                                                     /* 0x000fea0003800000 */
        /*0010*/                   FADD R3, R4, +QNAN ;              /* 0x7fc1234504037421 */
                                                                     /* 0x004fc80000000000 */
.L_x_0:
        /*0020*/                   MOV R1, 32@lo(table) ;            /* 0x0000001800017802 */
                                                                     /* 0x000fe20000000f00 */
                                                                     /* 0x000000030c0b7848 */
                                                                     /* 0x000fe20003fe0000 */
	.section	.nv.constant0,"a",@progbits
)x";

TEST(ParseDisassembly, ReadsNvdisasm) {
  const Disassembly d = parse_disassembly(kListing, "k.txt");
  EXPECT_EQ(d.sm, 75);
  ASSERT_NE(d.find("_Z1kv"), nullptr);
  EXPECT_EQ(d.find("_Z1k"), nullptr);
  const auto& code = d.find("_Z1kv")->code;
  ASSERT_EQ(code.size(), 4u);
  EXPECT_EQ(code[0].operands[0].value, 0x20) << "the label's offset";
  EXPECT_EQ(code[0].control.stall, 5);
  EXPECT_EQ(code[1].pc, 0x10u);
  EXPECT_EQ(code[1].control.wait_mask, 0b000100);
  EXPECT_EQ(code[1].operands[2].value, 0x7ff8000000000000 | std::int64_t{0x12345} << 29) << "the NaN's payload";
  EXPECT_EQ(code[2].operands[1].value, 0x18) << "what the linker adds to";
}

TEST(ParseDisassembly, NamesMinimaThatTheDisassemblerLeavesOut) {
  const auto code = parse_disassembly(kListing, "k.txt").functions[0].code;
  EXPECT_EQ(code[3].text(), "VIMNMX.U32 R11, R12, 0x3, PT");
  EXPECT_EQ(code[3].pc, 0x30u);
  EXPECT_EQ(code[3].low, 0x000000030c0b7848u);
}

// As CUDA 11.8's nvdisasm prints the end of a branch around a score's computation: the label belongs to the BSYNC.
constexpr std::string_view kLabelBeforeUnprinted = R"x(
	.headerflags    @"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
	.section	.text.k,"ax",@progbits
.text.k:
        /*0000*/               @P0 BRA `(.L_x_1) ;                    /* TAKEN */
                                                                      /* 0x000ff60003800000 */
.L_x_1:
                                                                      /* 0x0000000c0b0b7248 */
                                                                      /* 0x000fc80007fe0100 */
                                                                      /* 0x0000000bff0b7248 */
                                                                      /* 0x000fce0007fe0100 */
        /*0030*/                   BSYNC B0 ;                         /* 0x0000000000007941 */
                                                                      /* 0x000fea0003800000 */
)x";

std::string with_branch(const std::string& encoding) {
  std::string text(kLabelBeforeUnprinted);
  return text.replace(text.find("TAKEN"), 5, encoding);
}

TEST(ParseDisassembly, FindsLabelsThatArePrintedTooEarly) {
  const auto code = parse_disassembly(with_branch("0x0000000000080947"), "k.txt").functions[0].code;
  EXPECT_EQ(code[0].operands[0].value, 0x30);
  EXPECT_EQ(parse_disassembly(with_branch("0x0000000000040947"), "k.txt").functions[0].code[0].operands[0].value, 0x20);
  EXPECT_THROW(parse_disassembly(with_branch("0x00000000000c0947"), "k.txt"), InputError) << "beyond the next text";
}

constexpr std::string_view kTwoFunctions = R"x(
	code for sm_90
		Function : one
	.headerflags    @"EF_CUDA_SM90 EF_CUDA_PTX_SM(EF_CUDA_SM90)"
        /*0000*/                   BRA 0x0 ;      /* 0xfffffffc00fc7947 */
                                                  /* 0x000fc0000383ffff */
		..........
		Function : two
        /*0000*/                   EXIT ;         /* 0x000000000000794d */
                                                  /* 0x000fea0003800000 */
)x";

TEST(ParseDisassembly, ReadsCuobjdump) {
  const Disassembly d = parse_disassembly(kTwoFunctions, "k.txt");
  EXPECT_EQ(d.sm, 90);
  ASSERT_EQ(d.functions.size(), 2u);
  EXPECT_EQ(d.functions[0].code[0].operands[0].kind, OperandKind::label);
  EXPECT_EQ(d.functions[1].name, "two");
}

// Groups of three 64-bit instructions behind a control word; two that issue together are in braces.
constexpr std::string_view kGroups = R"x(
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM61 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM61)"
	.section	.text.k,"ax",@progbits
                                                    /* 0x001cfc00e22007f6 */
        /*0008*/           MOV R1, c[0x0][0x20] ;   /* 0x4c98078000870001 */
.L_x_1:
        /*0010*/         { FMUL32I R0, R9, 0.63661974668502807617 ;  /* 0x1e03f22f98370900 */
        /*0018*/           S2R R0, SR_TID.X         }
                                                    /* 0xf0c8000002170000 */
                                                    /* 0x001fc442fec20ff1 */
        /*0028*/      @!P0 SYNC          (*"BRANCH_TARGETS .L_x_1"*);  /* 0xf0f800000008000f */
        /*0030*/           DEPBAR {0,1} ;           /* 0xf0f0000000070003 */
        /*0038*/       @P0 BRA CC.NEU, `(.L_x_1)         }
                                                    /* 0xe2400ffffd00000d */
)x";

TEST(ParseDisassembly, ReadsGroupsBehindControlWords) {
  const Disassembly d = parse_disassembly(kGroups, "k.sass");
  EXPECT_EQ(d.sm, 61);
  ASSERT_EQ(d.functions.size(), 1u);
  const std::vector<Instruction>& code = d.functions[0].code;
  ASSERT_EQ(code.size(), 6u);
  EXPECT_EQ(code[2].pc, 0x18u);
  EXPECT_EQ(code[3].pc, 0x28u);
  EXPECT_EQ(code[2].low, 0xf0c8000002170000u);
  EXPECT_EQ(code[2].opcode, "S2R");
  // 21 bits for each instruction of the group.
  EXPECT_EQ(code[0].control, (ControlBits{.stall = 6, .yield = false}));
  EXPECT_EQ(code[1].control, (ControlBits{.stall = 1, .yield = false, .write_counter = 0}));
  EXPECT_EQ(code[2].control, (ControlBits{.stall = 15, .yield = false, .write_counter = 1}));
  EXPECT_EQ(decode_control(code[2].high), code[2].control);
  EXPECT_EQ(code[1].operands[2].value, std::bit_cast<std::int64_t>(double{std::bit_cast<float>(0x3f22f983)}));
  EXPECT_EQ(code[4].operands[0].value, 3) << "braces of an operand";
  EXPECT_EQ(code[5].operands[1].value, 0x10);
  EXPECT_EQ(code[5].operands[0].text, "CC.NEU");
  const std::string missing(kGroups.substr(0, kGroups.find("  /* 0x001fc442fec20ff1 */")));
  const auto message = message_of(
      [&] { parse_disassembly(missing + "\n        /*0028*/ EXIT ; /* 0xe30000000007000f */\n", "k.sass"); });
  EXPECT_THAT(message, HasSubstr("expected the control word of the group"));
}

TEST(ParseDisassembly, ReadsShortImmediatesWithTheSignThatTheyHave) {
  const Disassembly d = parse_disassembly(R"x(
	.headerflags	@"EF_CUDA_SM61"
	.section	.text.k,"ax",@progbits
                                                    /* 0x001cfc00e22007f6 */
        /*0008*/    IADD3.X R27, -R16, 0xffff0, R31 ;  /* 0x39c90ffff0f7101b */
        /*0010*/    FFMA R0, R2, 6.NEG, R0 ;           /* 0x32810040c0070200 */
        /*0018*/    MOV32I R4, 0xfffff ;               /* 0x0100000fffff7f04 */
)x",
                                          "k.sass");
  const std::vector<Instruction>& code = d.functions.at(0).code;
  EXPECT_EQ(code[0].operands[2].value, -16) << "a field of 20 bits";
  EXPECT_EQ(std::bit_cast<double>(code[1].operands[2].value), -6);
  EXPECT_EQ(code[2].operands[1].value, 0xfffff) << "one of 32";
}

// Groups of seven behind a control word of eight bits each, as compiled for sm_35.
TEST(ParseDisassembly, ReadsGroupsOfSevenWithStallCounts) {
  const Disassembly d = parse_disassembly(R"x(
	.headerflags	@"EF_CUDA_SM35"
	.section	.text.k,"ax",@progbits
                                                                    /* 0x08a0ecbca0fc8010 */
        /*0008*/                   LD.E R3, [R2];                   /* 0xc4800000001c080c */
        /*0010*/                   PSETP.AND.AND P2, PT, !PT, PT, PT;  /* 0x84801c07001fc05e */
        /*0018*/                   SSY `(.L_x_5);                   /* 0x1480000010000000 */
        /*0020*/                   DADD R4, R4, -1;                 /* 0xcb8001ff801c1011 */
        /*0028*/                   LOP32I.AND R5, R5, 0x3fc;        /* 0x20000001fe1c1414 */
        /*0030*/              @!P2 BRA `(.L_x_5);                   /* 0x120000000028003c */
        /*0038*/                   SHF.R.S R2, R3, 0x6, RZ;         /* 0xc7c3fc00035c0c09 */
.L_x_5:
                                                                    /* 0x0800000000000010 */
        /*0048*/                   EXIT;                            /* 0x18000000001c003c */
)x",
                                          "k.sass");
  EXPECT_EQ(d.sm, 35);
  const std::vector<Instruction>& code = d.functions.at(0).code;
  ASSERT_EQ(code.size(), 8u);
  std::vector<int> stalls;
  for (const Instruction& instruction : code) stalls.push_back(instruction.control.stall);
  EXPECT_EQ(stalls, (std::vector{0, 1, 32, 9, 16, 28, 9, 0})) << "0: the next one issues beside it";
  EXPECT_EQ(code[0].control.write_counter, kNoCounter);
  EXPECT_EQ(std::bit_cast<double>(code[3].operands[2].value), -1);
  EXPECT_EQ(code[5].operands[0].value, 0x48) << "a target at a control word is the instruction behind it";
  EXPECT_TRUE(syncs_behind(code[6], 35));
  EXPECT_FALSE(syncs_behind(code[4], 35));
  EXPECT_EQ(decode(code[6], 35).flow, ControlFlow::branch);
}

TEST(ParseDisassembly, NamesTheLine) {
  const auto message = [](std::string text) { return message_of([&] { parse_disassembly(text, "k.txt"); }); };
  const std::string head = "\t.section\t.text.k,\"ax\"\n";
  EXPECT_THAT(message(head + "  /*0000*/ EXIT ;\n"), StartsWith("k.txt:2:18: expected the encoding in /* */"));
  EXPECT_THAT(message(head + "  /*0010*/ EXIT ; /* 0x1 */\n"), HasSubstr("expected address 0x0, read 0x10"));
  EXPECT_THAT(message(head + "  /*0000*/ EXIT ; /* 0x1 */\n"), StartsWith("k.txt:2: expected the second line"));
  EXPECT_THAT(message(head + "  /*zz*/ EXIT ; /* 0x1 */\n"), HasSubstr("expected a hexadecimal number"));
  EXPECT_THAT(message(head + "  /* 0x1 */\n  /* 0x2 */\n"), HasSubstr("expected the text of the instruction"));
  EXPECT_THROW(parse_disassembly("\tcode for sm_30\n", "k.txt"), NotSupported);
  EXPECT_EQ(message("\tcode for sm_30\n"), "k.txt:1: " + unknown_architecture(30));
}

// Whatever the text, the answer is instructions or an InputError.
TEST(ParseDisassembly, SurvivesTruncationsAndMutations) {
  std::mt19937 random(1);
  int parsed = 0, refused = 0;
  const auto attempt = [&](const std::string& text) {
    try {
      parse_disassembly(text, "fuzz");
      ++parsed;
    } catch (const Error&) {
      ++refused;
    }
  };
  for (std::size_t length = 0; length <= kListing.size(); ++length) attempt(std::string(kListing.substr(0, length)));
  constexpr std::string_view kBytes = "[]{}()|~-!@`.,;+*/\\ \n\t\"0x9fRUPBSc\xff";
  for (int round = 0; round < 4000; ++round) {
    std::string text(kListing);
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 8);
          break;
        default:
          text.insert(at, 1 + random() % 3, kBytes[random() % kBytes.size()]);
          break;
      }
    }
    attempt(text);
  }
  EXPECT_GT(parsed, 100);
  EXPECT_GT(refused, 100);
}

TEST(ParseInstruction, SurvivesRandomOperands) {
  std::mt19937 random(2);
  constexpr std::string_view kPieces[] = {"R1", "c[0x0]", "[",      "]",  "UR3", ".64", ".reuse", "`(",   ")",
                                          "{",  "}",      ",",      "-",  "|",   "0x",  "1e999",  "+INF", "desc",
                                          "P0", "!",      "32@lo(", "(*", "&",   " ",   ";",      "SR_"};
  for (int round = 0; round < 20000; ++round) {
    std::string text = "FADD ";
    for (int pieces = static_cast<int>(random() % 8); pieces >= 0; --pieces)
      text += kPieces[random() % std::size(kPieces)];
    try {
      parse_instruction(text);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("expected")) << text;
    }
  }
}

}  // namespace
}  // namespace sassim::isa
