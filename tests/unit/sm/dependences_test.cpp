// SPDX-License-Identifier: Apache-2.0
// What warps wait for: dependence counters, registers by name, barriers.
#include <gtest/gtest.h>

#include "arch/sm/sync/barrier_unit.h"
#include "arch/sm/warps/dependence_counters.h"
#include "arch/sm/warps/scoreboard.h"

namespace sassim::arch {
namespace {

constexpr std::uint8_t kNone = isa::kNoCounter;

TEST(DependenceCounters, AnIncrementIsSeenTwoCyclesAfterIssue) {
  DependenceCounters counters;
  counters.hold(3, kNone, true, Cycle(10));
  EXPECT_EQ(counters.pending(0b1000, Cycle(11)), 0);
  EXPECT_EQ(counters.pending(0b1000, Cycle(12)), 0b1000);
  EXPECT_EQ(counters.pending(0b0111, Cycle(12)), 0) << "other counters";
  EXPECT_TRUE(counters.hides(0b1000, Cycle(11)));
  EXPECT_FALSE(counters.hides(0b1000, Cycle(12)));
  EXPECT_FALSE(counters.hides(0b0001, Cycle(11)));
  EXPECT_EQ(counters.value(3, Cycle(11)), 0u);
  EXPECT_EQ(counters.value(3, Cycle(12)), 1u);
}

TEST(DependenceCounters, OneCounterHoldsSeveralAndOpensWithTheLast) {
  DependenceCounters counters;
  for (const std::uint64_t at : {0, 1, 2}) counters.hold(0, kNone, true, Cycle(at));
  EXPECT_EQ(counters.value(0, Cycle(3)), 2u) << "the third is not seen yet";
  EXPECT_EQ(counters.value(0, Cycle(4)), 3u);
  counters.release(0, true);
  counters.release(0, true);
  EXPECT_EQ(counters.pending(1, Cycle(9)), 1);
  counters.release(0, true);
  EXPECT_EQ(counters.pending(1, Cycle(9)), 0);
}

TEST(DependenceCounters, ReadAndWriteCountersOfOneInstruction) {
  DependenceCounters counters;
  counters.hold(1, 4, false, Cycle(0));
  EXPECT_EQ(counters.pending(0x3f, Cycle(2)), 0b10010);
  counters.release(4, false);
  EXPECT_EQ(counters.pending(0x3f, Cycle(2)), 0b00010);
  counters.hold(kNone, kNone, false, Cycle(2));
  EXPECT_EQ(counters.pending(0x3f, Cycle(3)), 0b00010) << "an instruction without counters hides nothing";
}

TEST(DependenceCounters, AReleaseBeforeAnIncrementWasSeenLeavesNothingHidden) {
  DependenceCounters counters;
  counters.hold(2, kNone, false, Cycle(0));
  counters.release(2, false);
  EXPECT_EQ(counters.value(2, Cycle(1)), 0u);
  EXPECT_FALSE(counters.hides(0b100, Cycle(1)));
}

TEST(DependenceCounters, KnowsWhetherALongAccessHoldsOne) {
  DependenceCounters counters;
  counters.hold(0, kNone, false, Cycle(0));
  counters.hold(1, kNone, true, Cycle(1));
  EXPECT_FALSE(counters.held_by_long(0b01));
  EXPECT_TRUE(counters.held_by_long(0b11));
  counters.release(1, true);
  EXPECT_FALSE(counters.held_by_long(0b11));
}

const ScoreboardUse kProducer{{1}, {4}}, kConsumer{{4, 5}, {6}}, kOverwriter{{7}, {4}}, kWar{{7}, {1}};

TEST(Scoreboard, AResultOfKnownTimeIsWaitedForByReadersAndWriters) {
  Scoreboard board;
  board.issue(kProducer, Cycle(14), false, false);
  for (const ScoreboardUse* use : {&kConsumer, &kOverwriter}) {
    EXPECT_EQ(board.check(*use, Cycle(13)).block, Scoreboard::Block::fixed);
    EXPECT_EQ(board.check(*use, Cycle(13)).until, Cycle(14));
    EXPECT_EQ(board.check(*use, Cycle(14)).block, Scoreboard::Block::none);
  }
  EXPECT_EQ(board.check(kWar, Cycle(13)).block, Scoreboard::Block::none) << "sources were read at once";
}

TEST(Scoreboard, AReaderMayWaitLongerThanAWriterByWhereTheResultComesFrom) {
  ScoreboardUse from = kProducer, reader = kConsumer, overwriter = kOverwriter;
  from.source = ScoreboardUse::Source::fma;
  for (ScoreboardUse* use : {&reader, &overwriter})
    use->later[static_cast<std::size_t>(ScoreboardUse::Source::fma)] = 3;
  Scoreboard board;
  board.issue(from, Cycle(14), false, false);
  EXPECT_EQ(board.check(reader, Cycle(14)).until, Cycle(17));
  EXPECT_EQ(board.check(reader, Cycle(17)).block, Scoreboard::Block::none);
  EXPECT_EQ(board.check(overwriter, Cycle(14)).block, Scoreboard::Block::none);
  from.source = ScoreboardUse::Source::alu;
  board.issue(from, Cycle(24), false, false);
  EXPECT_EQ(board.check(reader, Cycle(23)).until, Cycle(24)) << "the source of the last result counts";
}

TEST(Scoreboard, AnUnknownTimeIsOverWhenWrittenOrRead) {
  Scoreboard board;
  board.issue(kProducer, kNever, true, true);
  EXPECT_EQ(board.check(kConsumer, Cycle(99)).block, Scoreboard::Block::long_latency);
  EXPECT_EQ(board.check(kWar, Cycle(99)).block, Scoreboard::Block::short_latency) << "its source has not been read";
  board.read(kProducer);
  EXPECT_EQ(board.check(kWar, Cycle(99)).block, Scoreboard::Block::none);
  board.written(kProducer, Cycle(99));
  EXPECT_EQ(board.check(kConsumer, Cycle(99)).block, Scoreboard::Block::none);
}

std::vector<int> released(BarrierUnit& unit, std::uint64_t at) {
  std::vector<int> warps;
  unit.pop(Cycle(at), [&](WarpSlot slot) { warps.push_back(slot.value); });
  return warps;
}

TEST(BarrierUnit, TheLastOfTheBlockLetsAllGoAfterTheLatency) {
  BarrierUnit unit(10);
  unit.start_block(0, 3);
  for (const std::uint8_t w : {2, 0}) unit.arrive(0, 0, 0, true, WarpSlot(w), Cycle(5));
  EXPECT_EQ(unit.next_event(), kNever);
  EXPECT_EQ(unit.state(0, 0), (std::array<std::uint32_t, 2>{2, 3}));
  unit.arrive(0, 0, 0, true, WarpSlot(1), Cycle(20));
  EXPECT_EQ(unit.next_event(), Cycle(30));
  EXPECT_EQ(released(unit, 30), (std::vector<int>{2, 0, 1})) << "in the order of arrival";
  EXPECT_EQ(unit.state(0, 0), (std::array<std::uint32_t, 2>{0, 3})) << "ready for the next round";
}

TEST(BarrierUnit, BarriersAndBlocksAreApart) {
  BarrierUnit unit(1);
  unit.start_block(0, 2);
  unit.start_block(1, 2);
  unit.arrive(0, 0, 0, true, WarpSlot(0), Cycle(0));
  unit.arrive(0, 1, 0, true, WarpSlot(1), Cycle(0));
  unit.arrive(1, 0, 0, true, WarpSlot(2), Cycle(0));
  EXPECT_EQ(unit.next_event(), kNever);
  unit.arrive(1, 0, 0, true, WarpSlot(3), Cycle(0));
  EXPECT_EQ(released(unit, 1), (std::vector<int>{2, 3}));
}

TEST(BarrierUnit, ACountOpensItAndArrivalWithoutWaitingCounts) {
  BarrierUnit unit(1);
  unit.start_block(0, 4);
  unit.arrive(0, 3, 2, false, WarpSlot(0), Cycle(0));
  unit.arrive(0, 3, 2, true, WarpSlot(1), Cycle(0));
  EXPECT_EQ(released(unit, 1), (std::vector<int>{1}));
}

TEST(BarrierUnit, AnEndedWarpIsNotWaitedForUnlessACountSaysSo) {
  BarrierUnit unit(1);
  unit.start_block(0, 2);
  unit.arrive(0, 0, 0, true, WarpSlot(0), Cycle(0));
  unit.retire(0, Cycle(7));
  EXPECT_EQ(released(unit, 8), (std::vector<int>{0}));
  unit.start_block(1, 2);
  unit.arrive(1, 0, 2, true, WarpSlot(1), Cycle(8));
  unit.retire(1, Cycle(9));
  EXPECT_EQ(unit.next_event(), kNever);
}

}  // namespace
}  // namespace sassim::arch
