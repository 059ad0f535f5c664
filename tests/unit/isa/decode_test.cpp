// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "sim/isa/opcode.h"

namespace sassim::isa {
namespace {

/// "R2:2a U4:1b" - first register, count and slot of each use.
std::string uses(const std::vector<RegisterUse>& all) {
  std::string out;
  for (const RegisterUse& use : all)
    out += fmt::format("{}{}{}:{}{}", out.empty() ? "" : " ", use.uniform ? "U" : "R", use.first, use.count,
                       "abc"[use.slot]);
  return out;
}

struct Expected {
  const char* text;
  int sm;
  const char* reads;
  const char* writes;
};

class RegisterUses : public ::testing::TestWithParam<Expected> {};

TEST_P(RegisterUses, AreThoseOfTheHardware) {
  const Expected& e = GetParam();
  const Decoded d = decode(parse_instruction(e.text), e.sm);
  EXPECT_EQ(uses(d.reads), e.reads) << e.text;
  EXPECT_EQ(uses(d.writes), e.writes) << e.text;
}

INSTANTIATE_TEST_SUITE_P(
    Table, RegisterUses,
    ::testing::Values(
        Expected{"FFMA R0, R1, R2, R3", 70, "R1:1a R2:1b R3:1c", "R0:1a"},
        Expected{"FADD R0, R1, R2", 70, "R1:1a R2:1c", "R0:1a"}, Expected{"FFMA R0, R1, 1.5, RZ", 70, "R1:1a", "R0:1a"},
        Expected{"MOV R0, R1", 70, "R1:1b", "R0:1a"},
        Expected{"IADD3 R2, P0, P1, R4, UR5, R6", 75, "R4:1a U5:1b R6:1c", "R2:1a"},
        Expected{"IADD3.X R2, R4, R5, RZ, P0, P1", 75, "R4:1a R5:1b", "R2:1a"},
        Expected{"LOP3.LUT P0, RZ, R2, 0x1, RZ, 0xc0, !PT", 80, "R2:1a", ""},
        Expected{"IMAD.WIDE R2, R4, R5, R6", 80, "R4:1a R5:1b R6:2c", "R2:2a"},
        Expected{"DFMA R0, R2, R4, R6", 70, "R2:2a R4:2b R6:2c", "R0:2a"},
        Expected{"DADD R0, R2, -R4", 70, "R2:2a R4:2c", "R0:2a"},
        Expected{"DSETP.GT.AND P0, PT, R2, R4, PT", 70, "R2:2a R4:2c", ""},
        Expected{"HFMA2.MMA R5, R0, 1, 1, -R9", 80, "R0:1a R9:1c", "R5:1a"},
        Expected{"HFMA2 R5, R0, R1, 0, 0", 80, "R0:1a R1:1b", "R5:1a"},
        Expected{"F2F.F64.F32 R2, R4", 70, "R4:1b", "R2:2a"}, Expected{"F2F.F32.F64 R2, R4", 70, "R4:2b", "R2:1a"},
        Expected{"F2I.S64.TRUNC R2, R4", 70, "R4:1b", "R2:2a"}, Expected{"I2F.F64.U64 R2, R4", 70, "R4:2b", "R2:2a"},
        Expected{"LDG.E.128.SYS R4, [R2+0x10]", 70, "R2:2a", "R4:4a"},
        Expected{"LDG.E.U8 R4, [R2.64]", 80, "R2:2a", "R4:1a"},
        Expected{"LDG.E.64 R4, [R2.U32+UR6]", 80, "R2:1a U6:2a", "R4:2a"},
        Expected{"LDG.E R4, desc[UR6][R2.64]", 90, "R2:2a U6:2a", "R4:1a"},
        Expected{"STG.E.64 [R2.64], R4", 80, "R2:2a R4:2b", ""},
        Expected{"LDS.64 R4, [R2.X8+UR3]", 80, "R2:1a U3:1a", "R4:2a"},
        Expected{"STS.128 [R2], R4", 70, "R2:1a R4:4b", ""}, Expected{"LDSM.16.M88.4 R4, [R2]", 75, "R2:1a", "R4:4a"},
        Expected{"ATOMG.E.CAS.64.STRONG.GPU PT, R4, [R2], R8, R10", 70, "R2:2a R8:2b R10:2c", "R4:2a"},
        Expected{"ATOMS.POPC.INC.32 RZ, [R2]", 70, "R2:1a", ""},
        Expected{"RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R5", 80, "R2:2a R5:1b", ""},
        Expected{"LDGSTS.E.BYPASS.128 [R1], [R2.64]", 80, "R1:1a R2:2a", ""},
        Expected{"LDC.64 R4, c[0x3][R2+0x8]", 70, "R2:1a", "R4:2a"},
        Expected{"SHFL.BFLY PT, R3, R2, R1, 0x1f", 70, "R2:1a R1:1b", "R3:1a"},
        Expected{"CS2R R2, SR_CLOCKLO", 70, "", "R2:2a"}, Expected{"CS2R.32 R2, SR_CLOCKLO", 70, "", "R2:1a"},
        Expected{"VOTE.ANY R3, PT, P0", 70, "", "R3:1a"}, Expected{"R2UR UR4, R2", 80, "R2:1a", "U4:1a"},
        Expected{"ULDC.64 UR4, c[0x0][0x118]", 80, "", "U4:2a"}, Expected{"BMOV.32.CLEAR R16, B6", 70, "", "R16:1a"},
        Expected{"BMOV.32 B6, R16", 70, "R16:1b", ""}, Expected{"RET.REL.NODEC R20 0x0", 70, "R20:2a", ""},
        Expected{"BRX R4 -0x550", 70, "R4:2a", ""},
        Expected{"HMMA.884.F32.F32.STEP0 R8, R16.COL, R2.ROW, R8", 70, "R16:2a R2:2b R8:2c", "R8:2a"},
        Expected{"HMMA.1688.F32 R8, R4, R6, R8", 75, "R4:2a R6:1b R8:4c", "R8:4a"},
        Expected{"HMMA.16816.F32.BF16 R8, R4, R2, RZ", 80, "R4:4a R2:2b", "R8:4a"},
        Expected{"HMMA.16816.F16 R8, R4, R2, R8", 80, "R4:4a R2:2b R8:2c", "R8:2a"},
        Expected{"HMMA.1688.F32.TF32 R8, R4, R2, R8", 80, "R4:4a R2:2b R8:4c", "R8:4a"},
        Expected{"IMMA.8816.S8.S8 R8, R4.ROW, R2.COL, R8", 75, "R4:1a R2:1b R8:2c", "R8:2a"},
        Expected{"IMMA.16832.S8.S8 R8, R4.ROW, R2.COL, R8", 80, "R4:4a R2:2b R8:4c", "R8:4a"},
        Expected{"DMMA.884 R8, R4, R2, R8", 80, "R4:2a R2:2b R8:4c", "R8:4a"}));

TEST(Decode, ReadsAndWritesPredicates) {
  const Decoded a = decode(parse_instruction("@!P3 ISETP.LT.U32.AND.EX P0, P1, R2, R3, !P4, P5"), 70);
  EXPECT_EQ(a.pred_writes, 0b000011);
  EXPECT_EQ(a.pred_reads, 0b111000) << "the guard too";
  const Decoded b = decode(parse_instruction("PLOP3.LUT P0, PT, P1, PT, P2, 0x80, 0x0"), 70);
  EXPECT_EQ(b.pred_writes, 0b001);
  EXPECT_EQ(b.pred_reads, 0b110);
  EXPECT_EQ(decode(parse_instruction("P2R R0, PR, RZ, 0x7"), 70).pred_reads, 0b111);
  EXPECT_EQ(decode(parse_instruction("R2P PR, R0, 0x5"), 70).pred_writes, 0b101);
  EXPECT_EQ(decode(parse_instruction("UISETP.EQ.AND UP1, UPT, UR4, 0x1, UP2"), 75).upred_writes, 0b10);
  EXPECT_EQ(decode(parse_instruction("@UP3 UMOV UR4, UR5"), 75).upred_reads, 0b1000);
  EXPECT_EQ(decode(parse_instruction("VOTE.ALL P0, P1"), 70).pred_writes, 0b1);
}

TEST(Decode, RefinesTheClass) {
  const auto op = [](const char* text, int sm = 80) { return op_class_name(decode(parse_instruction(text), sm).op); };
  EXPECT_EQ(op("IMAD.MOV.U32 R1, RZ, RZ, R2"), "imad");
  EXPECT_EQ(op("IMAD.WIDE R2, R4, R5, R6"), "imad_wide");
  EXPECT_EQ(op("F2F.F64.F32 R2, R4"), "convert64");
  EXPECT_EQ(op("HADD2 R2, R4, R5"), "fp16");
  EXPECT_EQ(op("HADD2.F32 R2, -RZ, R4.H0_H0"), "fp16_widen");
  EXPECT_EQ(op("F2I.TRUNC.NTZ R2, R4"), "convert");
  EXPECT_EQ(op("HFMA2.MMA R2, -RZ, RZ, 0, 0"), "fp16_mma");
  EXPECT_EQ(op("EXIT"), "branch");
  EXPECT_EQ(op("BSSY B0, 0x40"), "convergence");
}

TEST(Decode, KnowsSpacesWidthsAndConstants) {
  const Decoded load = decode(parse_instruction("LDG.E.64.SYS R2, [R4]"), 70);
  EXPECT_EQ(load.space, Space::global);
  EXPECT_EQ(load.access_bytes, 8);
  EXPECT_FALSE(load.writes_memory);
  EXPECT_EQ(load.latency, Latency::variable);
  EXPECT_TRUE(decode(parse_instruction("ATOMS.ADD R0, [R1], R2"), 70).writes_memory);
  const Decoded constant = decode(parse_instruction("FFMA R0, R1, c[0x0][0x168], c[0x3][R2+0x8]"), 70);
  ASSERT_EQ(constant.constants.size(), 2u);
  EXPECT_EQ(constant.constants[0].offset, 0x168u);
  EXPECT_FALSE(constant.constants[0].indexed);
  EXPECT_TRUE(constant.constants[1].indexed);
  EXPECT_TRUE(decode(parse_instruction("S2UR UR4, SR_CLOCKLO"), 75).reads_clock);
  EXPECT_FALSE(decode(parse_instruction("S2R R4, SR_TID.X"), 75).reads_clock);
  EXPECT_EQ(decode(parse_instruction("LDSM.16.MT88.2 R4, [R2]"), 75).matrices, 2);
}

TEST(Decode, FindsTheDescriptorThatCuda11DoesNotPrint) {
  // LDG.E R4, [R16.64] of sm_90: bits 37:32 hold 36, bit 91 is set.
  Instruction load = parse_instruction("LDG.E R4, [R16.64]");
  load.low = 0x0000002410047981;
  load.high = 0x00036a000c1e1900;
  EXPECT_EQ(uses(decode(load, 90).reads), "R16:2a U36:2a");
}

TEST(Decode, RefusesUnknownOpcodes) {
  Instruction unknown = parse_instruction("FROB R1, R2");
  unknown.pc = 0x40;
  try {
    decode(unknown, 70);
    FAIL();
  } catch (const NotSupported& error) {
    EXPECT_STREQ(error.what(), "opcode 'FROB' at 0x40 is not in the opcode table: FROB R1, R2");
  }
}

TEST(OpcodeTable, HasOneRowPerMnemonic) {
  std::set<std::string_view> seen;
  for (const OpcodeRow& row : opcode_table()) {
    EXPECT_TRUE(seen.insert(row.mnemonic).second) << row.mnemonic;
    EXPECT_FALSE(row.meaning.empty()) << row.mnemonic;
    EXPECT_EQ(find_opcode(row.mnemonic), &row);
  }
}

TEST(OpcodeTable, ShortInstructionsHaveTheirOwnRowsAndThoseOfTheOthers) {
  std::set<std::string_view> seen;
  for (const OpcodeRow& row : opcode_table_64()) {
    EXPECT_TRUE(seen.insert(row.mnemonic).second) << row.mnemonic;
    EXPECT_FALSE(row.meaning.empty()) << row.mnemonic;
    EXPECT_EQ(find_opcode(row.mnemonic, InstructionSet::sass64), &row);
    EXPECT_NE(find_opcode(row.mnemonic), &row);
  }
  EXPECT_EQ(find_opcode("FFMA", InstructionSet::sass64), find_opcode("FFMA"));
  EXPECT_EQ(find_opcode("XMAD"), nullptr);
  // Without a descriptor, an address takes two registers by its .E alone; .CG leaves the L1 out.
  const Decoded load = decode(parse_instruction("LDG.E.CG.64 R6, [R2+0x8]", "k"), 61);
  ASSERT_EQ(load.reads.size(), 1u);
  EXPECT_EQ(load.reads[0].count, 2);
  EXPECT_TRUE(load.bypasses_l1);
  EXPECT_FALSE(decode(parse_instruction("LDG.E.64 R6, [R2]", "k"), 61).bypasses_l1);
  const Decoded fetch = decode(parse_instruction("TEXS.LL.P R8, R6, R4, R0, 0x50, 2D, RGBA", "k"), 61);
  ASSERT_EQ(fetch.writes.size(), 2u);
  EXPECT_EQ(fetch.writes[0].count + fetch.writes[1].count, 4);
}

}  // namespace
}  // namespace sassim::isa
