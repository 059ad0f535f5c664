// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/eviction.h"

#include <gtest/gtest.h>

#include "sim/isa/assembly.h"

namespace sassim::isa {
namespace {

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

}  // namespace
}  // namespace sassim::isa
