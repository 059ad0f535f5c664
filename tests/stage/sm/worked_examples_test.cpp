// SPDX-License-Identifier: Apache-2.0
// The worked examples of the MICRO 2025 paper on modern GPU cores, cycle by cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "sim/base/error.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

std::uint64_t elapsed(const SmRun& run, std::uint32_t warp = 0) {
  const auto clocks = run.clock_of(warp);
  EXPECT_EQ(clocks.size(), 2u);
  return clocks.size() == 2 ? clocks[1] - clocks[0] : 0;
}

constexpr const char* kClock = "B------:R-:W-:-:S01 CS2R R40, SR_CLOCKLO ;\n";

std::uint64_t read_port_case(const std::string& x, const std::string& y, bool nop_at_end = true) {
  const std::string text = std::string(kClock) + "NOP ;\nFFMA R11, R10, R12, R14 ;\nFFMA R13, R16, " + x + ", " + y +
                           " ;\n" + (nop_at_end ? "NOP ;\n" : "") + kClock + "EXIT ;\n";
  return elapsed(run_sm(ampere(), SassKernel(text, 86)));
}

TEST(ReadPorts, AnInstructionWaitsInAllocateForItsBank) {
  EXPECT_EQ(read_port_case("R19", "R21"), 5u);
  EXPECT_EQ(read_port_case("R18", "R21"), 6u);
  EXPECT_EQ(read_port_case("R18", "R20"), 7u);
}

TEST(ReadPorts, TheClockIsReadInControlBeforeTheHeldAllocate) { EXPECT_EQ(read_port_case("R18", "R20", false), 4u); }

std::uint64_t stall_case(int stall) {
  const std::string s = stall < 10 ? "0" + std::to_string(stall) : std::to_string(stall);
  const std::string text = "FADD R1, RZ, 1 ;\nFADD R2, RZ, 1 ;\nB------:R-:W-:-:S02 FADD R3, RZ, 1 ;\n" +
                           std::string(kClock) + "NOP ;\nB------:R-:W-:-:S" + s +
                           " FADD R1, R2, R3 ;\nFFMA R5, R1, R1, R1 ;\nNOP ;\n" + kClock + "EXIT ;\n";
  return elapsed(run_sm(ampere(), SassKernel(text, 86)));
}

TEST(Stall, CyclesBetweenProducerAndConsumer) {
  EXPECT_EQ(stall_case(1), 5u);
  EXPECT_EQ(stall_case(4), 8u);
}

TEST(Stall, QuirksOfLargeAndZeroStalls) {
  const auto gap = [](const std::string& control) {
    const SmRun run = run_sm(ampere(), SassKernel(control + " NOP ;\nNOP ;\nEXIT ;\n", 86));
    return run.issues_of(0, 1).at(0) - run.issues_of(0, 0).at(0);
  };
  EXPECT_EQ(gap("B------:R-:W-:-:S11"), 11u);
  EXPECT_EQ(gap("B------:R-:W-:-:S12"), 2u);
  EXPECT_EQ(gap("B------:R-:W-:Y:S12"), 12u);
  EXPECT_EQ(gap("B------:R-:W-:Y:S00"), 45u);
  EXPECT_EQ(gap("B------:R-:W-:Y:S01"), 2u);
  EXPECT_EQ(gap("B------:R-:W-:Y:S03"), 3u);
}

/// When each of four warps passes a barrier; warps 2 and 3 come 100 cycles later.
std::array<std::uint64_t, 4> past_barrier(const std::string& bar,
                                          const std::function<trace::BlockBarrier(std::uint32_t warp)>& named = {}) {
  std::string wait;
  for (int i = 0; i < 10; ++i) wait += "B------:R-:W-:Y:S10 NOP ;\n";
  SassKernel kernel("BRA meet ;\nlate:\n" + wait + "meet:\n" + bar + " ;\nNOP ;\nEXIT ;\n", 86);
  kernel.warps(4).entry([](std::uint32_t warp) { return warp < 2 ? "" : "late"; });
  if (named)
    kernel.details([&, meet = kernel.line_of("meet")](std::uint32_t warp, std::uint32_t line) {
      return line == meet ? detail_of(named(warp)) : trace::Detail();
    });
  const SmRun run = run_sm(ampere(), kernel);
  std::array<std::uint64_t, 4> at{};
  for (std::uint32_t w = 0; w < 4; ++w) at[w] = run.issues_of(w, kernel.line_of("meet") + 1).at(0);
  return at;
}

TEST(Barriers, ARegisterNamesTheBarrierAndItsThreads) {
  const auto all = past_barrier("BAR.SYNC 0x0");
  EXPECT_GT(all[0], 100u);
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2, 64 threads each.
  const auto pairs = past_barrier("BAR.SYNC R2, R2", [](std::uint32_t warp) {
    return trace::BlockBarrier{1 + warp / 2, 64};
  });
  EXPECT_LT(pairs[0], 50u);
  EXPECT_LT(pairs[1], 50u);
  EXPECT_GT(pairs[2], 100u);
  const auto whole = past_barrier("BAR.SYNC R2", [](std::uint32_t) { return trace::BlockBarrier{5, 0}; });
  EXPECT_EQ(whole, all);
}

TEST(Barriers, AWarpWhoseGuardIsFalseDoesNotArrive) {
  std::string rest;
  for (int i = 0; i < 10; ++i) rest += "B------:R-:W-:Y:S10 NOP ;\n";
  SassKernel kernel("BAR.SYNC 0x0 ;\nNOP ;\n" + rest + "EXIT ;\n", 86);
  kernel.warps(2).active([](std::uint32_t warp) { return warp == 0 ? LaneMask::all() : LaneMask{}; });
  const SmRun run = run_sm(ampere(), kernel);
  EXPECT_LT(run.issues_of(1, 1).at(0), 20u);
  EXPECT_GT(run.issues_of(0, 1).at(0), 100u) << "when the other warp has ended";
}

TEST(Barriers, ARegisterThatTheTraceDoesNotKnowIsRefused) {
  const SassKernel kernel("BAR.SYNC R2 ;\nEXIT ;\n", 86);
  trace::KernelInfo info = kernel.source()->kernel();
  trace::GeneratedTrace source(info, [&](BlockId) {
    auto builder = trace::WarpStreamBuilder::make(info);
    for (const std::uint32_t line : {0u, 1u}) {
      trace::Step step;
      step.index = line;
      step.active = step.lanes = LaneMask::all();
      builder->append(step);
    }
    auto block = std::make_shared<trace::BlockTrace>();
    block->warps.push_back(builder->finish());
    return std::shared_ptr<const trace::BlockTrace>(block);
  });
  EXPECT_THROW(run_sm(ampere(), source), NotSupported);
}

// V100 report, section 2.1: a cycle more for the switch, and no reuse for the next instruction.
TEST(Yield, CostsACycleBeyondTheTwoOfAHalfWidthUnitOnVolta) {
  config::GpuConfig config = volta();
  config.sm.issue.yield_interval = 3;
  const auto gap = [&](const std::string& control) {
    const SmRun run = run_sm(config, SassKernel(control + " FADD R4, R5, R6 ;\nFADD R7, R5, R6 ;\nEXIT ;\n", 70));
    return run.issues_of(0, 1).at(0) - run.issues_of(0, 0).at(0);
  };
  EXPECT_EQ(gap("B------:R-:W-:-:S02"), 2u);
  EXPECT_EQ(gap("B------:R-:W-:Y:S02"), 3u);
  EXPECT_EQ(gap("B------:R-:W-:Y:S04"), 4u);
}

TEST(Yield, TheReuseBitsOfTheNextInstructionDoNothingOnVolta) {
  const auto hits = [](const char* control, bool counts) {
    config::GpuConfig config = volta();
    config.sm.register_file.reuse_after_yield = counts;
    const std::string first = std::string(control) + " FADD R4, R5, R6 ;\n";
    SassKernel kernel(first + "FFMA R8, R10.reuse, R11, R13 ;\nFFMA R9, R10, R11, R13 ;\nEXIT ;\n", 70);
    return run_sm(config, kernel).metrics["sassim__register_reuse_hits.sum"];
  };
  EXPECT_EQ(hits("B------:R-:W-:-:S02", false), 1);
  EXPECT_EQ(hits("B------:R-:W-:Y:S02", false), 0);
  EXPECT_EQ(hits("B------:R-:W-:Y:S02", true), 1);
}

TEST(DependenceCounters, SharedCountersDepbarAndVisibility) {
  const SmRun run = run_sm(ampere(), SassKernel(R"(
    B------:R-:W3:-:S01 LDG.E R2, [R20.64] ;
    B------:R0:W3:-:S01 LDG.E R4, [R22.64] ;
    B------:R0:W4:-:S02 LDG.E R6, [R24.64] ;
    B------:R-:W-:-:S01 FADD R8, R9, R10 ;
    B------:R-:W-:-:S04 DEPBAR.LE SB0, 0x1 ;
    B------:R-:W-:-:S01 FADD R22, R9, R10 ;
    B0--3--:R-:W-:-:S01 FADD R11, R2, R4 ;
    EXIT ;)",
                                                86));
  const auto at = [&](std::uint32_t line) { return run.issues_of(0, line).at(0); };
  const auto& io = ampere().sm.memory_io;
  const std::uint64_t first = at(0), reads = io.pipeline + io.vector_address;
  EXPECT_EQ(at(1), first + 1);
  EXPECT_EQ(at(2), first + 2);
  EXPECT_EQ(at(3), first + 4);  // the stall of two
  // The second load leaves the address stage one interval after the first; one read of SB0 is left then.
  EXPECT_EQ(at(4), first + reads + io.address_interval);
  EXPECT_EQ(at(5), at(4) + 4);
  // Both counters: the results of the first two loads.
  EXPECT_EQ(at(6), first + ampere().sm.l1.hit_latency + io.address_interval);
}

TEST(DependenceCounters, AConsumerRightBehindItsProducerDoesNotSeeTheIncrement) {
  const auto consumer = [](const std::string& stall) {
    const SmRun run = run_sm(
        ampere(),
        SassKernel("B------:R-:W0:-:S" + stall + " MUFU.RSQ R4, R5 ;\nB0-----:R-:W-:-:S01 FADD R6, R4, R4 ;\nEXIT ;\n",
                   86));
    return run.issues_of(0, 1).at(0) - run.issues_of(0, 0).at(0);
  };
  EXPECT_EQ(consumer("01"), 1u);
  EXPECT_EQ(consumer("02"), ampere().sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::mufu)].latency);
}

std::uint64_t reuse_hits(const std::string& text) {
  return static_cast<std::uint64_t>(
      run_sm(ampere(), SassKernel(text + "EXIT ;\n", 86)).metrics["sassim__register_reuse_hits.sum"]);
}

TEST(ReuseCacheExamples, WhatKeepsAndWhatDropsAValue) {
  EXPECT_EQ(reuse_hits("IADD3 R1, R2.reuse, R3, R4 ;\nFFMA R5, R2, R7, R8 ;\nIADD3 R10, R2, R12, R13 ;\n"), 1u);
  EXPECT_EQ(reuse_hits("IADD3 R1, R2.reuse, R3, R4 ;\nFFMA R5, R2.reuse, R7, R8 ;\nIADD3 R10, R2, R12, R13 ;\n"), 2u);
  EXPECT_EQ(reuse_hits("IADD3 R1, R2.reuse, R3, R4 ;\nFFMA R5, R7, R2, R8 ;\nIADD3 R10, R2, R12, R13 ;\n"), 1u);
  EXPECT_EQ(reuse_hits("IADD3 R1, R2.reuse, R3, R4 ;\nFFMA R5, R4, R7, R8 ;\nIADD3 R10, R2, R12, R13 ;\n"), 0u);
}

/// Four warps of one processing block, the others end at once; returns the warps in the order of their issues, runs of
/// the same warp as one entry.
std::vector<std::pair<std::uint32_t, std::uint32_t>> timeline(const config::GpuConfig& config,
                                                              const std::string& second) {
  // The barrier lets all start together, with their buffers filled; a fifth warp opens it and ends.
  std::string text = "BAR.SYNC 0x0 ;\nNOP ;\n" + second + " NOP ;\n";
  for (int i = 0; i < 30; ++i) text += "NOP ;\n";
  text += "idle:\nEXIT ;\nhelper:\nBAR.ARV 0x0, 0x0 ;\nEXIT ;\n";
  SassKernel kernel(text, 86);
  kernel.warps(20).entry([](std::uint32_t warp) { return warp % 4 != 0 ? "idle" : warp == 0 ? "helper" : ""; });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  for (const SmRun::Issue& issue : run_sm(config, kernel).issues) {
    if (issue.warp % 4 != 0 || issue.warp == 0 || issue.line == 0) continue;
    if (order.empty() || order.back().first != issue.warp / 4 - 1)
      order.emplace_back(issue.warp / 4 - 1, 1);
    else
      ++order.back().second;
  }
  return order;
}

using Timeline = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(Timelines, GreedyRunsTheYoungestUntilItsCodeIsMissing) {
  config::GpuConfig config = ampere();
  config.sm.front_end.perfect = false;
  config.sm.front_end.prefetch_entries = 0;
  config.sm.front_end.l1_latency = 10;
  const Timeline order = timeline(config, "");
  ASSERT_GE(order.size(), 4u);
  EXPECT_EQ(order.front(), (std::pair{3u, 7u}));  // the rest of a line of eight instructions
  EXPECT_EQ(order[1].first, 2u);
}

TEST(Timelines, AStallHandsOverToTheYoungestOther) {
  const Timeline order = timeline(ampere(), "B------:R-:W-:-:S04");
  const Timeline expected{{3, 2}, {2, 2}, {1, 2}, {3, 31}, {2, 31}, {1, 31}, {0, 33}};
  EXPECT_EQ(order, expected);
}

TEST(Timelines, AYieldHandsOverForOneCycle) {
  const Timeline order = timeline(ampere(), "B------:R-:W-:Y:S01");
  const Timeline expected{{3, 2}, {2, 2}, {3, 31}, {2, 31}, {1, 2}, {0, 2}, {1, 31}, {0, 31}};
  EXPECT_EQ(order, expected);
}

TEST(WritePort, ALoadGivesWayToAFixedLatencyResult) {
  const auto wait = [](const std::string& destination) {
    // Shared loads take 24 cycles here; the FFMA issues 20 after it and takes 4.
    config::GpuConfig config = ampere();
    config.sm.shared.latency = 24;
    const SmRun run =
        run_sm(config, SassKernel("B------:R-:W0:-:S11 LDS R10, [R2] ;\nB------:R-:W-:-:S09 NOP ;\nFFMA " +
                                      destination + ", R3, R4, R5 ;\nB0-----:R-:W-:-:S01 MOV R6, R10 ;\nEXIT ;\n",
                                  86));
    return run.issues_of(0, 3).at(0) - run.issues_of(0, 0).at(0);
  };
  EXPECT_EQ(wait("R13"), 24u);  // the other bank
  EXPECT_EQ(wait("R12"), 25u);
}

}  // namespace
}  // namespace sassim::arch::test
