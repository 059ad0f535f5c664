// SPDX-License-Identifier: Apache-2.0
// What a line waits for, by its control bits or by the names of its registers.
#include "sim/replay/awaited_lines.h"

#include <gmock/gmock.h>

#include "sim/isa/assembly.h"

namespace sassim::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

trace::KernelInfo kernel(const std::vector<std::string>& lines) {
  trace::KernelInfo kernel;
  for (const std::string& line : lines) {
    kernel.code.push_back(isa::parse_instruction(line));
    kernel.code.back().pc = static_cast<std::uint32_t>(16 * (kernel.code.size() - 1));
  }
  kernel.has_encodings = false;
  return kernel;
}

TEST(AwaitedLines, ByNameItIsTheLastLoadOfARegisterThatIsUsed) {
  const auto code = kernel({"LDG.E.SYS R4, [R2]", "LDG.E.SYS R5, [R2]", "MOV R6, R7", "FADD R8, R4, R6",
                            "FADD R9, R4, R5", "LDG.E.SYS R4, [R2]", "FADD R9, R4, R5"});
  const AwaitedLines awaited(code, true);
  EXPECT_THAT(awaited.of(3), ElementsAre(0x00));
  EXPECT_THAT(awaited.of(4), ElementsAre(0x00, 0x10));
  EXPECT_THAT(awaited.of(6), ElementsAre(0x10, 0x50));
  EXPECT_THAT(awaited.of(0), ElementsAre(0x50)) << "by way of a loop: the same register";
}

TEST(AwaitedLines, ByNameWiderLoadsCountWithAllTheirRegisters) {
  const auto code = kernel({"LDG.E.128.SYS R4, [R2]", "LDS.U.64 R12, [R0]", "FADD R8, R7, R13"});
  EXPECT_THAT(AwaitedLines(code, true).of(2), ElementsAre(0x00, 0x10));
}

TEST(AwaitedLines, ByNameWhatIsComputedInBetweenIsNotAwaited) {
  const auto code = kernel({"LDG.E.SYS R4, [R2]", "MOV R4, R6", "FADD R8, R4, R6"});
  EXPECT_THAT(AwaitedLines(code, true).of(2), IsEmpty());
}

TEST(AwaitedLines, ByNameAStoreKeepsItsSourcesFromWriters) {
  const auto code = kernel({"STG.E.SYS [R2], R4", "MOV R4, R6", "FADD R7, R4, R6"});
  const AwaitedLines awaited(code, true);
  EXPECT_THAT(awaited.of(1), ElementsAre(0x00));
  EXPECT_THAT(awaited.of(2), IsEmpty());
}

TEST(AwaitedLines, ByNameALoopIsFollowedWhereNothingBeforeExplainsTheWait) {
  const auto code = kernel({"MOV R4, RZ", "FADD R8, R4, R6", "LDG.E.SYS R4, [R2]", "BRA 0x10"});
  EXPECT_THAT(AwaitedLines(code, true).of(1), ElementsAre(0x20));
}

TEST(AwaitedLines, BarriersAndFencesStandBeforeTheLine) {
  const auto code = kernel({"BAR.SYNC 0x0", "MOV R4, R6", "MEMBAR.SC.GPU", "MOV R5, R6"});
  const AwaitedLines awaited(code, true);
  EXPECT_THAT(awaited.of(1), ElementsAre(0x00));
  EXPECT_THAT(awaited.of(3), ElementsAre(0x20));
}

TEST(AwaitedLines, BehindAWaitForGroupsOfCopiesItIsTheLastCopy) {
  const auto code = kernel({"LDGSTS.E [R5], [R2.64]", "LDGSTS.E.BYPASS.128 [R5+0x400], [R2.64]", "LDGDEPBAR",
                            "DEPBAR.LE SB0, 0x0", "BAR.SYNC 0x0", "LDS R4, [R6]"});
  for (const bool scoreboard : {false, true}) {
    const AwaitedLines awaited(code, scoreboard);
    EXPECT_THAT(awaited.of(4), ElementsAre(0x10)) << scoreboard;
    EXPECT_THAT(awaited.of(5), testing::Contains(0x40)) << scoreboard;
  }
  EXPECT_THAT(AwaitedLines(kernel({"DEPBAR.LE SB0, 0x0", "MOV R1, R2"}), true).of(1), IsEmpty());
}

TEST(AwaitedLines, WithControlBitsItIsTheHolderOfTheCounter) {
  auto code = kernel({"LDG.E.SYS R4, [R2]", "LDG.E.SYS R5, [R2]", "FADD R8, R4, R6"});
  code.code[0].control.write_counter = 0;
  code.code[1].control.write_counter = 3;
  code.code[2].control.wait_mask = 1u << 3;
  EXPECT_THAT(AwaitedLines(code, false).of(2), ElementsAre(0x10)) << "though the register is that of 0x00";
}

}  // namespace
}  // namespace sassim::replay
