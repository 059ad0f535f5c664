// SPDX-License-Identifier: Apache-2.0
// In which order threads of a warp come to WARPSYNC, how often they execute it, and what they do together.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/emu/steps.h"

namespace sassim::emu {
namespace {

/// Lanes below 16, 24, 28, `last` and `last + 1` leave one after another for one place, where all meet.
std::string early_exits(int last) {
  std::string text = "  S2R R0, SR_LANEID\n";
  for (int limit : {16, 24, 28, last, last + 1})
    text += "  ISETP.LT.AND P0, PT, R0, " + std::to_string(limit) + ", PT\n  @P0 BRA place\n";
  return text + "place:\n  MOV R1, RZ\n  WARPSYNC.ALL\n  EXIT\n";
}

std::vector<std::uint32_t> arrivals(int last, std::uint32_t index) { return masks_at(index, early_exits(last)); }

// The H200's order of arrival for the same sizes: ties go to those that fall through; what waits runs together, except
// for those that left last; a smaller side that leaves goes first (validation/measured/h200/instructions.md#branches).
TEST(Warpsync, TheSmallerSideGoesFirstAndWhatWaitsRunsTogether) {
  EXPECT_EQ(arrivals(30, 11), (std::vector<std::uint32_t>{0x80000000u, 0x40000000u, 0x3fffffffu}));
  EXPECT_EQ(arrivals(29, 11), (std::vector<std::uint32_t>{0x10000000u, 0x20000000u, 0xc0000000u, 0x0fffffffu}));
}

TEST(Warpsync, ThreadsThatComeApartExecuteWarpsyncOnceMoreTogether) {
  const auto masks = arrivals(29, 12);
  ASSERT_EQ(masks.size(), 5u);
  EXPECT_EQ(masks.back(), 0xffffffffu);
}

// Lane 0 yields four times while the others wait at WARPSYNC, which they execute again after each yield: as many
// instructions as an H100 counts (validation/measured/h200/instructions.md#yield).
TEST(Warpsync, ThreadsThatWaitAtWarpsyncExecuteItAgainAfterEachYield) {
  const std::string code = R"(
  S2R R0, SR_LANEID
  ISETP.NE.AND P0, PT, R0, RZ, PT
  MOV R1, RZ
  @P0 BRA meet
again:
  YIELD
  IADD3 R1, R1, 0x1, RZ
  ISETP.LT.AND P1, PT, R1, 0x4, PT
  @P1 BRA again
meet:
  WARPSYNC.ALL
  EXIT
)";
  const std::uint32_t others = 0xfffffffeu;
  EXPECT_EQ(masks_at(8, code), (std::vector<std::uint32_t>{others, others, others, others, 1u, 0xffffffffu}));
}

// The guard of BRA.DIV is false in lanes from 8 on, so that the threads are not all there: all of them branch. At
// WARPSYNC.COLLECTIVE those with different masks part (h200/instructions.md#branches).
TEST(Warpsync, AllThreadsTakeADivergentBranch) {
  const std::string code = R"(
  S2R R0, SR_LANEID
  ISETP.LT.AND P0, PT, R0, 0x8, PT
  UMOV UR4, 0xffffffff
  @P0 BRA.DIV UR4, apart
  MOV R1, RZ
  EXIT
apart:
  LOP3.LUT R2, R0, 0x18, RZ, 0xc0, !PT
  MOV R3, 0xff
  SHF.L.U32 R3, R3, R2, RZ
  BSSY B0, meet
  WARPSYNC.COLLECTIVE R3, after
  MOV R1, RZ
  ENDCOLLECTIVE
after:
  BSYNC B0
meet:
  EXIT
)";
  EXPECT_EQ(masks_at(4, code), (std::vector<std::uint32_t>{}));
  EXPECT_EQ(masks_at(6, code), (std::vector<std::uint32_t>{0xffffffffu}));
  auto parts = masks_at(11, code);
  std::sort(parts.begin(), parts.end());
  EXPECT_EQ(parts, (std::vector<std::uint32_t>{0xffu, 0xff00u, 0xff0000u, 0xff000000u}));
  EXPECT_EQ(masks_at(14, code), (std::vector<std::uint32_t>{0xffffffffu}));
}

// Threads that come to WARPSYNC.COLLECTIVE.ALL apart do together what is before ENDCOLLECTIVE, and are apart again
// behind it (h200/instructions.md#branches).
TEST(Warpsync, ACollectivePartIsDoneTogether) {
  const std::string code = R"(
  S2R R0, SR_LANEID
  ISETP.LT.AND P0, PT, R0, 0x4, PT
  @P0 BRA meet
  MOV R1, RZ
meet:
  WARPSYNC.COLLECTIVE.ALL behind
  MOV R2, RZ
  ENDCOLLECTIVE
behind:
  MOV R3, RZ
  EXIT
)";
  EXPECT_EQ(masks_at(5, code), (std::vector<std::uint32_t>{0xffffffffu}));
  auto behind = masks_at(7, code);
  std::sort(behind.begin(), behind.end());
  EXPECT_EQ(behind, (std::vector<std::uint32_t>{0xfu, 0xfffffff0u}));
}

/// Lanes from 4 on go to WARPSYNC at once, the others through `between`: the masks with which it is executed.
std::vector<std::uint32_t> meetings(const std::string& between, std::uint32_t index) {
  return masks_at(index, R"(
  S2R R0, SR_LANEID
  ISETP.GE.AND P0, PT, R0, 0x4, PT
  ISETP.LT.AND P1, PT, R0, 0x2, PT
  @P0 BRA meet
)" + between + R"(
meet:
  WARPSYNC.ALL
  EXIT
)");
}

// Counted on an H200 (detection of the validation set, `remaining`): the larger side executes
// WARPSYNC by itself only if it was to go next; out of the pool it goes together with those that wait there.
TEST(Warpsync, ThreadsOfThePoolExecuteWarpsyncWithThoseThatWaitForThem) {
  EXPECT_EQ(meetings("  MOV R1, RZ", 5), (std::vector<std::uint32_t>{0xfu, 0xfffffff0u, 0xffffffffu}));
  const std::string branch = "  BSSY B0, after\n  @P1 BRA skip\n  MOV R1, RZ\nskip:\n  BSYNC B0\nafter:\n  MOV R1, R0";
  EXPECT_EQ(meetings(branch, 9), (std::vector<std::uint32_t>{0xfu, 0xffffffffu}));
}

}  // namespace
}  // namespace sassim::emu
