// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "sim/isa/code_rules.h"

namespace sassim::isa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::uint64_t> first_pcs(CodeLayout layout, std::uint64_t count) {
  std::vector<std::uint64_t> pcs;
  for (std::uint64_t i = 0; i < count; ++i) pcs.push_back(layout.pc(i));
  return pcs;
}

constexpr CodeLayout kInside(16), kPerThree(8, 3), kPerSeven(8, 7);

TEST(CodeLayout, PlacesInstructions) {
  EXPECT_THAT(first_pcs(kInside, 4), ElementsAre(0, 16, 32, 48));
  // A control word at 0x00, 0x20, 0x40 ...
  EXPECT_THAT(first_pcs(kPerThree, 7), ElementsAre(0x08, 0x10, 0x18, 0x28, 0x30, 0x38, 0x48));
  // ... and at 0x00, 0x40, 0x80.
  EXPECT_THAT(first_pcs(kPerSeven, 9), ElementsAre(0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x48, 0x50));
}

TEST(CodeLayout, FindsTheInstructionAtAPc) {
  for (const CodeLayout layout : {kInside, kPerThree, kPerSeven})
    for (std::uint64_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(layout.index(layout.pc(i)), i) << layout.unit_bytes();
      EXPECT_TRUE(layout.is_instruction(layout.pc(i)));
      EXPECT_FALSE(layout.is_instruction(layout.pc(i) + 4));
    }
  EXPECT_EQ(kPerThree.index(0x20), 3u) << "a control word leads to the first instruction of its group";
  EXPECT_EQ(kPerSeven.index(0x40), 7u);
  EXPECT_FALSE(kPerThree.is_instruction(0x20));
  EXPECT_FALSE(kPerSeven.is_instruction(0x40));
  EXPECT_TRUE(kPerSeven.is_instruction(0x20));
}

TEST(CodeLayout, CountsTheBytesOfCode) {
  EXPECT_EQ(kInside.bytes(0), 0u);
  EXPECT_EQ(kInside.bytes(5), 80u);
  EXPECT_EQ(kPerThree.bytes(0), 0u);
  EXPECT_EQ(kPerThree.bytes(1), 16u);
  EXPECT_EQ(kPerThree.bytes(3), 32u);
  EXPECT_EQ(kPerThree.bytes(4), 48u);
  EXPECT_EQ(kPerSeven.bytes(14), 128u);
  EXPECT_EQ(kInside.unit_bytes(), 16u);
  EXPECT_EQ(kPerThree.unit_bytes(), 32u);
  EXPECT_EQ(kPerSeven.unit_bytes(), 64u);
  for (const CodeLayout layout : {kInside, kPerThree, kPerSeven})
    for (std::uint64_t count = 1; count < 100; ++count)
      EXPECT_EQ(layout.bytes(count), layout.pc(count - 1) + layout.instruction_bytes());
}

TEST(Architectures, AreFoundByNumber) {
  int before = 0;
  for (const Architecture& row : architectures()) {
    EXPECT_GT(row.sm, before) << "rows are in order";
    before = row.sm;
    EXPECT_EQ(find_architecture(row.sm), &row);
    EXPECT_EQ(&architecture(row.sm), &row);
    EXPECT_THAT(known_architectures(), HasSubstr("sm_" + std::to_string(row.sm)));
  }
  for (const int unknown : {-1, 0, 71, 256, 1000}) EXPECT_EQ(find_architecture(unknown), nullptr) << unknown;
}

TEST(Architectures, AnUnknownOneIsNamedWithTheKnownOnes) {
  const std::string known = " (known: " + known_architectures() + ")";
  EXPECT_EQ(unknown_architecture(30), "architecture sm_30 is not supported; the nearest is sm_35" + known);
  EXPECT_EQ(unknown_architecture(88), "architecture sm_88 is not supported; the nearest is sm_87" + known);
  EXPECT_EQ(unknown_architecture(120), "architecture sm_120 is not supported; the nearest is sm_90" + known);
  try {
    architecture(30, "a.cubin");
    FAIL() << "sm_30 is known";
  } catch (const NotSupported& error) {
    EXPECT_EQ(error.what(), "a.cubin: " + unknown_architecture(30));
  }
}

/// One column, row by row.
template <class Value>
std::vector<Value> column(Value Architecture::*member) {
  std::vector<Value> values;
  for (const Architecture& row : architectures()) values.push_back(row.*member);
  return values;
}

/// The architectures for which a column has the value.
template <class Value>
std::vector<int> with(Value Architecture::*member, Value value) {
  std::vector<int> found;
  for (const Architecture& row : architectures())
    if (row.*member == value) found.push_back(row.sm);
  return found;
}

TEST(Architectures, DifferWhereTheHardwareDoes) {
  EXPECT_THAT(column(&Architecture::sm), ElementsAre(35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90));
  EXPECT_THAT(with(&Architecture::set, InstructionSet::sass64), ElementsAre(35, 37, 50, 52, 53, 60, 61, 62));
  EXPECT_THAT(with(&Architecture::low_windows, true), ElementsAre(35, 37, 50, 52, 53));
  EXPECT_THAT(with(&Architecture::single_to_double, 2), ElementsAre(60, 70, 80, 90));
  EXPECT_THAT(with(&Architecture::descriptors, true), ElementsAre(80, 86, 87, 89, 90));
  EXPECT_THAT(with(&Architecture::tall_texel_pairs, true), ElementsAre(35, 37, 75, 80, 86, 87, 89, 90));
  EXPECT_THAT(with(&Architecture::surface_descriptors, true), ElementsAre(35, 37));
  EXPECT_THAT(with(&Architecture::system_shared, 1024u), ElementsAre(90));
  EXPECT_THAT(with(&Architecture::counts_fp64_and_matrices, false), ElementsAre(90));
  EXPECT_EQ(architecture(61).code, kPerThree);
  EXPECT_EQ(architecture(61).bank.parameters, 0x140u);
  EXPECT_EQ(architecture(37).code, kPerSeven);
  for (const Architecture& row : architectures()) {
    EXPECT_EQ(code_rules(row).counters, row.sm >= 50) << row.sm;
    EXPECT_EQ(code_rules(row).suffix_syncs, row.sm < 50) << row.sm;
  }
}

TEST(Architectures, SassWithoutOneIsReadAsMostAreLaidOut) {
  const std::vector<Instruction> code = assemble("NOP ;\nNOP ;\nEXIT ;\n");
  EXPECT_EQ(code[2].pc, assumed_architecture().code.pc(2));
  EXPECT_EQ(code[2].pc, 32u);
}

}  // namespace
}  // namespace sassim::isa
