// SPDX-License-Identifier: Apache-2.0
// Which warp issues, what a kernel's rows say, and how issue slots are counted.
#include <gtest/gtest.h>

#include "arch/sm/code/static_code.h"
#include "arch/sm/common/stall_reason.h"
#include "arch/sm/common/stall_table.h"
#include "arch/sm/warps/full_warps.h"
#include "arch/sm/warps/warp_scheduler.h"
#include "sim/base/error.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"
#include "tests/support/saved_state.h"

namespace sassim::arch {
namespace {

TEST(WarpSchedulers, EachPolicyChoosesItsWarp) {
  ScheduleView view;
  view.age = {5, 9, 1, 7};  // warp 1 is the youngest, warp 2 the oldest
  view.last = WarpIndex(3);
  struct Case {
    const char* policy;
    std::uint32_t all, without_last;
  };
  for (const Case& c : {Case{"greedy_youngest", 3, 1}, {"gto", 3, 2}, {"oldest", 2, 2}, {"lrr", 0, 0}}) {
    const auto scheduler = WarpSchedulers::instance().make(c.policy);
    EXPECT_EQ(scheduler->pick(0b1111, view), c.all) << c.policy;
    EXPECT_EQ(scheduler->pick(0b0111, view), c.without_last) << c.policy;
    EXPECT_EQ(scheduler->pick(0b0010, view), 1u) << c.policy;
  }
}

TEST(WarpSchedulers, LooseRoundRobinGoesOnBehindTheLast) {
  const auto scheduler = WarpSchedulers::instance().make("lrr");
  ScheduleView view;
  view.last = WarpIndex(1);
  EXPECT_EQ(scheduler->pick(0b1011, view), 3u);
  view.last = WarpIndex(31);
  EXPECT_EQ(scheduler->pick(0b1010, view), 1u);
  view.last = WarpIndex(kMaxBlockWarps);
  EXPECT_EQ(scheduler->pick(0b1000, view), 3u);
}

TEST(WarpSchedulers, WarpsOfTheOldestBlockTakeTurnsAndTheLastOfThemIsFetchedFor) {
  const auto scheduler = WarpSchedulers::instance().make("oldest_block");
  ScheduleView view;
  view.age = {4, 5, 6, 1, 2};
  view.block_age = {2, 2, 2, 1, 1};  // warps 3 and 4 are of the older block
  for (std::uint32_t warp = 0; warp < 5; ++warp) view.placed(WarpIndex(warp), warp < 3 ? 7 : 9);
  EXPECT_EQ(scheduler->pick(0b11111, view), 4u);
  view.issued(WarpIndex(4));
  EXPECT_EQ(scheduler->pick(0b11111, view), 4u) << "as long as it can";
  view.refused = true;
  EXPECT_EQ(scheduler->pick(0b11111, view), 3u) << "there was no room for it";
  EXPECT_EQ(scheduler->pick(0b10111, view), 4u) << "nobody else is left";
  view.refused = false;
  EXPECT_EQ(scheduler->pick(0b01111, view), 3u);
  view.issued(WarpIndex(3));
  EXPECT_EQ(scheduler->pick(0b10111, view), 4u) << "and so on";
  EXPECT_EQ(scheduler->pick(0b00111, view), 2u) << "the younger block, when nobody else can";
  view.issued(WarpIndex(2));
  EXPECT_EQ(scheduler->pick(0b00011, view), 1u);
  EXPECT_EQ(scheduler->pick(0b11111, view), 2u) << "and it goes on as long as it can, too";
  EXPECT_EQ(scheduler->pick(0b11011, view), 4u) << "then the older block comes first";
  view.issued(WarpIndex(4));
  EXPECT_EQ(scheduler->pick(0b00111, view), 1u) << "the younger block goes on with its own turns";
  view.issued(WarpIndex(1));
  view.issued(WarpIndex(3));
  EXPECT_EQ(scheduler->pick(0b00111, view), 0u);
  EXPECT_EQ(scheduler->fetch(0b11111, view), 4u);
  EXPECT_EQ(scheduler->fetch(0b00111, view), 2u) << "whoever issued last";
}

TEST(WarpSchedulers, OfTheOldestBlockTheLastGoesOnElseTheYoungest) {
  const auto scheduler = WarpSchedulers::instance().make("oldest_block_youngest");
  ScheduleView view;
  view.age = {4, 5, 6, 1, 2};
  view.block_age = {2, 2, 2, 1, 1};  // warps 3 and 4 are of the older block
  for (std::uint32_t warp = 0; warp < 5; ++warp) view.placed(WarpIndex(warp), warp < 3 ? 7 : 9);
  EXPECT_EQ(scheduler->pick(0b11111, view), 4u) << "the youngest of the older block";
  view.issued(WarpIndex(3));
  EXPECT_EQ(scheduler->pick(0b11111, view), 3u) << "as long as it can";
  EXPECT_EQ(scheduler->pick(0b10111, view), 4u);
  EXPECT_EQ(scheduler->pick(0b00011, view), 1u) << "the younger block, when nobody else can";
  view.issued(WarpIndex(0));
  EXPECT_EQ(scheduler->pick(0b00111, view), 0u);
  EXPECT_EQ(scheduler->pick(0b01111, view), 0u) << "as long as it can";
  EXPECT_EQ(scheduler->pick(0b01110, view), 3u) << "then the older block comes first";
  EXPECT_EQ(scheduler->fetch(0b11110, view), 4u);
  EXPECT_EQ(scheduler->fetch(0b00111, view), 0u);
}

TEST(WarpSchedulers, BlocksTakeTurnsByTheirPlaces) {
  const auto scheduler = WarpSchedulers::instance().make("blocks_in_turn");
  ScheduleView view;
  view.age = {4, 5, 1, 2, 3};
  view.placed(WarpIndex(0), 7);
  view.placed(WarpIndex(1), 7);
  view.placed(WarpIndex(2), 9);
  view.placed(WarpIndex(3), 9);
  view.placed(WarpIndex(4), 2);
  view.issued(WarpIndex(0));
  EXPECT_EQ(scheduler->pick(0b11111, view), 0u) << "as long as it can";
  EXPECT_EQ(scheduler->pick(0b11110, view), 1u) << "then its block";
  EXPECT_EQ(scheduler->pick(0b11100, view), 3u) << "then the youngest of the block at the next place";
  view.issued(WarpIndex(3));
  EXPECT_EQ(scheduler->pick(0b10011, view), 4u) << "after the last place the first";
  EXPECT_EQ(scheduler->fetch(0b10011, view), 4u);
}

/// The timelines that MICRO 2025 measured are of one block, where the rules are the same.
class OfOneBlock : public ::testing::TestWithParam<const char*> {};

TEST_P(OfOneBlock, TheRuleIsTheMeasuredOne) {
  const auto rule = WarpSchedulers::instance().make(GetParam());
  const auto measured = WarpSchedulers::instance().make("greedy_youngest");
  ScheduleView view;
  view.age = {7, 3, 9, 5};
  for (std::uint32_t warp = 0; warp < 4; ++warp) view.placed(WarpIndex(warp), 0);
  for (std::uint32_t last = 0; last < 4; ++last) {
    view.issued(WarpIndex(last));
    for (WarpMask mask = 1; mask < 16; ++mask) {
      EXPECT_EQ(rule->pick(mask, view), measured->pick(mask, view));
      EXPECT_EQ(rule->fetch(mask, view), measured->fetch(mask, view));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(WarpSchedulers, OfOneBlock, ::testing::Values("oldest_block_youngest", "blocks_in_turn"));

TEST(WarpSchedulers, AnUnknownNameListsTheKnown) {
  try {
    WarpSchedulers::instance().make("gtoo");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("greedy_youngest"), std::string::npos);
  }
}

TEST(StallTable, CountsBeyondSixteenBitsAreExact) {
  StallTable table;
  table.start_kernel(3);
  const CodeLine line(1), other(2);
  for (int i = 0; i < 5000; ++i) table.issued(line, 32, 17, i % 5 == 0);
  for (const std::uint64_t cycles : {65'535ull, 1ull, 70'000ull, 20'000'000'000ull})
    table.add(line, StallReason::long_scoreboard, cycles);
  table.add(other, StallReason::drain, 65'535);
  for (int i = 0; i < 3; ++i) table.add(line, LineTraffic{1, 40'000, 2, 65'536, 4});
  StallTable loaded;
  loaded.start_kernel(3);
  sassim::testing::load(loaded, sassim::testing::saved(table));
  for (const StallTable* each : {&table, &loaded}) {
    std::vector<LineStalls> lines;
    each->add_to(lines);
    each->add_to(lines);  // a second SM
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].issued(), 0u);
    EXPECT_EQ(lines[1].threads, 2u * 5000 * 32);
    EXPECT_EQ(lines[1].threads_executed, 2u * 5000 * 17);
    EXPECT_EQ(lines[1].second, 2u * 1000);
    EXPECT_EQ(lines[1].issued(), 2u * 5000);
    EXPECT_EQ(lines[1].cycles[index(StallReason::long_scoreboard)], 2 * 20'000'135'536ull);
    EXPECT_EQ(lines[1].traffic.requests, 2u * 3);
    EXPECT_EQ(lines[1].traffic.sectors, 2u * 120'000);
    EXPECT_EQ(lines[1].traffic.ideal_sectors, 2u * 6);
    EXPECT_EQ(lines[1].traffic.passes, 2u * 196'608);
    EXPECT_EQ(lines[1].traffic.ideal_passes, 2u * 12);
    EXPECT_EQ(lines[2].cycles[index(StallReason::drain)], 2u * 65'535);
  }
  std::vector<LineStalls> lines;
  table.start_kernel(2);
  table.extend(4);
  table.add_to(lines);
  ASSERT_EQ(lines.size(), 4u);
  for (const LineStalls& each : lines) EXPECT_EQ(each.threads, 0u) << "the next kernel starts at zero";
}

TEST(IssueSlots, EveryCycleHasOneReason) {
  IssueSlots slots;
  slots.start(Cycle(100));
  slots.idle(StallReason::no_warp);
  slots.count(Cycle(110), StallReason::selected);
  slots.idle(StallReason::wait);
  slots.count(Cycle(111), StallReason::selected);
  slots.idle(StallReason::long_scoreboard);
  slots.count(Cycle(150), StallReason::barrier);
  slots.finish(Cycle(160));
  const auto& cycles = slots.cycles();
  EXPECT_EQ(cycles[index(StallReason::no_warp)], 10u);
  EXPECT_EQ(cycles[index(StallReason::selected)], 2u);
  EXPECT_EQ(cycles[index(StallReason::wait)], 0u);
  EXPECT_EQ(cycles[index(StallReason::long_scoreboard)], 38u + 9u);
  EXPECT_EQ(cycles[index(StallReason::barrier)], 1u);
  std::uint64_t sum = 0;
  for (const std::uint64_t c : cycles) sum += c;
  EXPECT_EQ(sum, 60u);
}

config::GpuConfig gpu(const char* name) {
  return config::load_config(std::string(SASSIM_SOURCE_DIR "/configs/chips/") + name + ".yaml");
}

StaticInstruction row(const char* name, const std::string& text, bool encodings = true) {
  const config::GpuConfig config = gpu(name);
  test::SassKernel kernel(text, config.arch);
  kernel.info().has_encodings = encodings;
  return StaticCode(kernel.info(), config)[CodeLine(0)];
}

TEST(StaticCode, StallsWithTheirQuirks) {
  const auto stall = [](const char* name, const std::string& control) {
    return row(name, control + " FADD R4, R5, R6 ;\n").control.stall;
  };
  EXPECT_EQ(stall("h200", "B------:R-:W-:-:S01"), 1);
  EXPECT_EQ(stall("h200", "B------:R-:W-:Y:S01"), 2);
  EXPECT_EQ(stall("v100", "B------:R-:W-:Y:S01"), 3);
  EXPECT_EQ(stall("v100", "B------:R-:W-:Y:S05"), 5);
  EXPECT_EQ(stall("v100", "B------:R-:W-:-:S12"), 2);
  EXPECT_EQ(stall("v100", "B------:R-:W-:Y:S12"), 12);
  EXPECT_EQ(stall("v100", "B------:R-:W-:Y:S00"), 45);
}

TEST(StaticCode, CountersMasksAndReuseBitsComeFromTheEncoding) {
  const StaticInstruction with = row("v100", "B-1---5:R2:W3:-:S02 FFMA R4, R5.reuse, R6, R7 ;\n");
  EXPECT_EQ(with.control.write_counter, 3);
  EXPECT_EQ(with.control.read_counter, 2);
  EXPECT_EQ(with.control.wait_mask, 0b100010);
  ASSERT_EQ(with.registers.count, 3);
  EXPECT_TRUE(with.registers.reads[0].reuse);
  EXPECT_FALSE(with.registers.reads[1].reuse);
  EXPECT_EQ(with.registers.reads[1].slot(), 1);
  EXPECT_EQ(with.registers.reads[1].bank(), 0);
  const StaticInstruction without = row("v100", "B-1---5:R2:W3:-:S02 FFMA R4, R5.reuse, R6, R7 ;\n", false);
  EXPECT_EQ(without.control.write_counter, isa::kNoCounter);
  EXPECT_FALSE(without.registers.reads[0].reuse);
}

TEST(StaticCode, PipesAndTheirIntervals) {
  EXPECT_EQ(row("v100", "FFMA R4, R5, R6, R7 ;\n").interval, 2);
  EXPECT_EQ(row("h200", "FFMA R4, R5, R6, R7 ;\n").interval, 1);
  EXPECT_EQ(row("v100", "MUFU.RSQ R4, R5 ;\n").resource, Resource::xu);
  EXPECT_EQ(row("v100", "MUFU.RSQ R4, R5 ;\n").interval, 8);
  EXPECT_FALSE(row("v100", "MUFU.RSQ R4, R5 ;\n").fixed);
  EXPECT_EQ(row("v100", "LDG.E R4, [R2.64] ;\n").resource, Resource::local_global);
  EXPECT_EQ(row("v100", "LDS R4, [R2] ;\n").resource, Resource::shared);
  EXPECT_TRUE(row("v100", "BRA 0x0 ;\n").flow.branches);
  EXPECT_TRUE(row("v100", "RET.REL.NODEC R2 0x0 ;\n").flow.indirect);
  EXPECT_EQ(row("v100", "BSYNC B0 ;\n").flow.fetch_after, 0u) << "not known but for the H200";
  EXPECT_NE(row("h200", "BSYNC B0 ;\n").flow.fetch_after, 0u);
  EXPECT_EQ(row("v100", "YIELD ;\n").flow.fetch_after, 0u);
  EXPECT_NE(row("h200", "YIELD ;\n").flow.fetch_after, 0u);
}

TEST(StaticCode, TensorInstructionsByShapeAndElement) {
  EXPECT_EQ(row("v100", "HMMA.884.F32.F32.STEP0 R8, R2.ROW, R4.COL, R8 ;\n").interval, 2);
  EXPECT_EQ(row("t4", "HMMA.1688.F32 R8, R2, R4, R8 ;\n").interval, 8);
  EXPECT_EQ(row("h200", "HMMA.16816.F32 R8, R4, R2, R8 ;\n").interval, 6);
  EXPECT_EQ(row("h200", "HMMA.1688.F32 R8, R4, R2, R8 ;\n").interval, 3);
  EXPECT_EQ(row("h200", "DMMA.16x8x16 R8, R64, R136, R8 ;\n").interval, 64);  // data sheet: twice what DFMA reaches
  EXPECT_EQ(row("h200", "DMMA.8x8x4 R8, R64, R66, R8 ;\n").interval, 8);
  EXPECT_EQ(row("a100", "DMMA.8x8x4 R8, R64, R66, R8 ;\n").interval, 16);
  EXPECT_EQ(row("h200", "HMMA.1688.F32 R8, R4, R2, R8 ;\n").latency, 16);
  EXPECT_EQ(row("h200", "HMMA.16816.F32 R8, R4, R2, R8 ;\n").latency, 24);
}

TEST(StaticCode, BarriersDepbarsAndFences) {
  const StaticInstruction bar = row("v100", "BAR.SYNC 0x3, 0x40 ;\n");
  EXPECT_EQ(bar.action, Action::barrier);
  EXPECT_EQ(bar.barrier.number, 3);
  EXPECT_EQ(bar.barrier.threads, 64);
  EXPECT_TRUE(bar.barrier.waits);
  EXPECT_FALSE(bar.barrier.in_trace);
  EXPECT_FALSE(row("v100", "BAR.ARV 0x3, 0x40 ;\n").barrier.waits);
  EXPECT_TRUE(row("v100", "BAR.SYNC R3, R3 ;\n").barrier.in_trace);
  const StaticInstruction depbar = row("v100", "DEPBAR.LE SB0, 0x1, {4,3} ;\n");
  EXPECT_EQ(depbar.depbar.counter, 0);
  EXPECT_EQ(depbar.depbar.limit, 1);
  EXPECT_EQ(depbar.depbar.mask, 0b11000);
  EXPECT_EQ(row("v100", "MEMBAR.SC.GPU ;\n").scope, Scope::gpu);
  EXPECT_EQ(row("v100", "MEMBAR.SC.SYS ;\n").scope, Scope::sys);
  EXPECT_EQ(row("v100", "MEMBAR.SC.CTA ;\n").scope, Scope::cta);
}

TEST(StaticCode, SaysHowMuchOfTheLaunchsBankItsCodeReaches) {
  const config::GpuConfig config = gpu("v100");
  const auto bytes = [&](const char* text) {
    test::SassKernel kernel(text);
    return StaticCode(kernel.info(), config).launch_bank_bytes();
  };
  EXPECT_EQ(bytes("FADD R4, R5, R6 ;\n"), 0u);
  EXPECT_EQ(bytes("FADD R4, R5, c[0x0][0x168] ;\nFADD R4, R5, c[0x0][0x160] ;\n"), 0x168u + 16);
  EXPECT_EQ(bytes("FADD R4, R5, c[0x2][0x100] ;\n"), 0u) << "another bank";
  EXPECT_EQ(bytes("LDC R4, c[0x0][R5+0x160] ;\n"), 0x210u + 4096) << "anywhere";
}

TEST(StaticCode, OnlyConstantsOfKnownAddressAreCheckedAtIssue) {
  const StaticInstruction plain = row("v100", "FADD R4, R5, c[0x3][0x10] ;\n");
  EXPECT_TRUE(plain.constant.checked);
  EXPECT_EQ(plain.constant.address, (ConstantAddress{3, 0x10}));
  const StaticInstruction load = row("v100", "LDC R4, c[0x3][R5+0x10] ;\n");
  EXPECT_FALSE(load.constant.checked);
}

}  // namespace
}  // namespace sassim::arch

// Which executions by a part of a warp are left out.
namespace sassim::arch {
namespace {

/// Executions that are issued, of `count` in a row by so many threads.
int issued(FullWarps& warp, std::uint32_t index, std::uint32_t threads, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += warp.takes_in(index, threads) ? 0 : 1;
  return sum;
}

TEST(FullWarps, AnInstructionIsIssuedAsOftenAsItsThreadsFillWarps) {
  const std::vector<bool> may(3, true);
  FullWarps warp;
  warp.start(may);
  EXPECT_EQ(issued(warp, 0, 32, 5), 5) << "full ones, always";
  EXPECT_EQ(issued(warp, 1, 1, 64), 2);
  EXPECT_EQ(issued(warp, 2, 20, 8), 5) << "160 threads";
}

TEST(FullWarps, AWarpThatBeginsWithFewThreadsIsFullWithThese) {
  const std::vector<bool> may(1, true);
  FullWarps warp;
  warp.start(may);
  EXPECT_EQ(issued(warp, 0, 4, 8), 8);
  EXPECT_EQ(issued(warp, 0, 2, 8), 4);
}

TEST(FullWarps, WhatOthersSeeIsNotLeftOut) {
  const std::vector<bool> may{true, false};
  FullWarps warp;
  warp.start(may);
  EXPECT_EQ(issued(warp, 0, 32, 1), 1);
  EXPECT_EQ(issued(warp, 1, 1, 64), 64);
}

}  // namespace
}  // namespace sassim::arch
