// SPDX-License-Identifier: Apache-2.0
#include "sim/report/bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/report/waits.h"

namespace sassim::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A kernel whose warps wait for global memory, on 10 SMs with places for 40 blocks.
KernelReport waiting(double blocks) {
  KernelReport kernel;
  const auto set = [&](const char* name, double value) { kernel.metrics.set(name, "", "m", value); };
  set("gpc__cycles_elapsed.max", 1000);
  set("launch__grid_size", blocks);
  set("launch__sm_count", 10);
  set("launch__waves_per_multiprocessor", blocks / 40);
  set("sassim__warp_cycles_long_scoreboard.sum", 800);
  set("sassim__warp_cycles_selected.sum", 200);
  set("sm__cycles_active.avg", 500);
  set("sm__maximum_warps_per_active_cycle_pct", 100);
  return kernel;
}

std::string_view what_if(const KernelReport& kernel) { return cause_row(find_bound(kernel).cause).what_if; }

TEST(Bound, ATailNeedsMoreThanOneWave) {
  for (const double blocks : {12.0, 40.0, 41.0}) {
    KernelReport kernel = waiting(blocks);
    kernel.metrics.set("sassim__tail_idle.pct", "", "m", 57);
    const Bound bound = find_bound(kernel);
    EXPECT_EQ(bound.cause, blocks > 40 ? Cause::tail : Cause::latency) << bound.sentence;
    EXPECT_EQ(what_if(kernel), blocks > 40 ? "double SMs" : "perfect L1");
    EXPECT_EQ(to_json(bound)["evidence"]["sassim__tail_idle.pct"], 57);
  }
}

TEST(Bound, BlocksOfOneWaveThatDifferAreSaidBesideTheCause) {
  KernelReport kernel = waiting(12);
  EXPECT_THAT(find_bound(kernel).sentence, Not(HasSubstr("the longest decide")));
  kernel.metrics.set("sassim__tail_idle.pct", "", "m", 57);
  EXPECT_THAT(find_bound(kernel).sentence,
              HasSubstr("the longest decide: places of blocks that have ended are empty for 57 % of the time."));
}

TEST(Bound, OneBlockIsOne) {
  EXPECT_EQ(find_bound(waiting(1)).sentence, "Bound by a small grid: 1 block for 10 SMs leaves 9 SMs without work.");
  EXPECT_EQ(find_bound(waiting(4)).sentence, "Bound by a small grid: 4 blocks for 10 SMs leave 6 SMs without work.");
}

KernelReport busy(const std::string& pipe) {
  KernelReport kernel = waiting(200);
  kernel.metrics.set("smsp__thread_inst_executed_per_inst_executed.ratio", "", "m", 32);
  kernel.metrics.set("sm__pipe_" + pipe + "_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "m", 35.5);
  return kernel;
}

TEST(Bound, OnlyAMathPipeIsOne) {
  for (const char* pipe : {"fma", "alu", "fp16", "xu", "fp64"}) EXPECT_EQ(what_if(busy(pipe)), "32-lane pipes") << pipe;
  for (const char* pipe : {"tensor", "uniform", "cbu", "adu"}) {
    EXPECT_EQ(what_if(busy(pipe)), "") << pipe;
    EXPECT_THAT(find_bound(busy(pipe)).sentence, Not(HasSubstr("math"))) << pipe;
  }
  EXPECT_THAT(find_bound(busy("adu")).sentence, HasSubstr("the address divergence unit (ADU"));
}

TEST(Bound, TheNumberOfTheSentenceIsAmongTheEvidence) {
  const Bound adu = find_bound(busy("adu"));
  EXPECT_THAT(adu.sentence, HasSubstr("is 71 % busy."));
  EXPECT_EQ(to_json(adu)["evidence"]["adu_busy_while_sm_active.pct"], 71);
  EXPECT_EQ(to_json(find_bound(waiting(40)))["evidence"]["warp_cycles_waiting.pct"], 80);
  KernelReport barrier = waiting(40);
  barrier.metrics.set("sassim__warp_cycles_barrier.sum", "", "m", 1000);
  EXPECT_EQ(to_json(find_bound(barrier))["evidence"].dump(),
            R"({"warp_cycles_waiting.pct":50.0,"sassim__warp_cycles_barrier.sum":1000.0})");
}

TEST(Bound, OfASliceTheBlocksThatRanCount) {
  KernelReport slice = waiting(200);
  slice.grid = {200, 1, 1};
  slice.slice_blocks = 4;
  slice.metrics.set("sassim__tail_idle.pct", "", "m", 57);
  const Bound bound = find_bound(slice);
  EXPECT_EQ(bound.sentence,
            "Bound by a small slice of the grid: 4 of its 200 blocks ran, which leaves 6 of 10 SMs without work.");
  EXPECT_EQ(to_json(bound)["evidence"]["blocks_of_slice"], 4);
  slice.slice_blocks = 40;
  EXPECT_EQ(find_bound(slice).cause, Cause::latency) << "one wave";
  slice.slice_blocks = 60;
  EXPECT_THAT(find_bound(slice).sentence, HasSubstr("the tail: 1.5 waves"));
}

LineStalls line(std::uint32_t pc, const std::string& text, const std::string& op) {
  LineStalls line;
  line.pc = pc;
  line.text = text;
  line.op = op;
  line.executed = 10;
  line.threads = 320;
  return line;
}

/// A loop that loads, reads a special register, waits for both, meets at a barrier and ends with reductions.
KernelReport mixed() {
  KernelReport kernel = waiting(40);
  kernel.lines = {line(0x00, "LDG.E R2, [R4]", "load"),
                  line(0x10, "S2R R3, SR_TID.X", "s2r"),
                  line(0x20, "FADD R2, R2, R3", "fp32"),
                  line(0x30, "BAR.SYNC 0x0", "barrier"),
                  line(0x40, "MOV R5, c[0x0][0x28]", "mov"),
                  line(0x50, "@P0 RED.E.ADD [R6], R2", "reduction"),
                  line(0x60, "EXIT", "branch")};
  kernel.lines[2].waits_for = {0x00, 0x10};
  kernel.lines[2].stalls = {{"long_scoreboard", 300}, {"short_scoreboard", 50}};
  kernel.lines[4].waits_for = {0x00, 0x30};
  kernel.lines[4].stalls = {{"imc_miss", 500}, {"barrier", 30}};
  kernel.lines[5].memory.requests = 10;
  kernel.lines[6].waits_for = {0x00};
  kernel.lines[6].stalls = {{"drain", 120}};
  return kernel;
}

TEST(Waits, AProducerIsOneThatTheReasonWaitsFor) {
  const KernelReport kernel = mixed();
  const Waits waits(kernel);
  EXPECT_EQ(waits.text(kernel.lines[2], "long_scoreboard"), "LDG.E R2, [R4] at 0000");
  EXPECT_EQ(waits.text(kernel.lines[2], "short_scoreboard"), "S2R R3, SR_TID.X at 0010");
  EXPECT_EQ(waits.text(kernel.lines[4], "barrier"), "BAR.SYNC 0x0 at 0030");
  EXPECT_EQ(waits.text(kernel.lines[4], "imc_miss"), "");
  EXPECT_EQ(waits.text(kernel.lines[4], "membar"), "");
  EXPECT_EQ(waits.text(kernel.lines[6], "drain"), "@P0 RED.E.ADD [R6], R2 at 0050");
}

TEST(Bound, TheSecondSentenceFollowsFromTheFirst) {
  KernelReport kernel = mixed();
  EXPECT_EQ(find_bound(kernel).where.sentence,
            "Warps wait for LDG.E R2, [R4] at 0000: 30 % of their cycles, at 0020 FADD R2, R2, R3 (long_scoreboard)")
      << "not the longest wait, which is for a constant";
  EXPECT_EQ(to_json(find_bound(kernel))["where"].dump(),
            R"({"pc":32,"reason":"long_scoreboard","waits_for":[0],"warp_cycles_pct":30.0})");
  kernel.metrics.set("sassim__warp_cycles_imc_miss.sum", "", "m", 5000);
  EXPECT_EQ(find_bound(kernel).where.sentence,
            "Warps wait longest at 0040 MOV R5, c[0x0][0x28]: 50 % of their cycles (imc_miss)");
  kernel.metrics.set("sassim__warp_cycles_barrier.sum", "", "m", 9000);
  EXPECT_EQ(find_bound(kernel).where.sentence,
            "Warps wait for BAR.SYNC 0x0 at 0030: 3 % of their cycles, at 0040 MOV R5, c[0x0][0x28] (barrier)");
  kernel.metrics.set("sassim__lts_atomic_hottest.pct_of_peak", "", "m", 95);
  EXPECT_EQ(
      find_bound(kernel).where.sentence,
      "All atomics come from @P0 RED.E.ADD [R6], R2 at 0050; warps wait 12 % of their cycles for it, at 0060 EXIT "
      "(drain)");
  kernel.lines.push_back(line(0x70, "ATOMG.E.ADD R8, [R6], R2", "atomic"));
  EXPECT_THAT(find_bound(kernel).where.sentence, HasSubstr("50 % of the atomics come from"));
}

TEST(Bound, WhatIsSaidOfAllBlocksStandsBehindTheLines) {
  KernelReport kernel = mixed();
  kernel.metrics.set("sassim__tail_idle.pct", "", "m", 57);
  EXPECT_THAT(find_bound(kernel).sentence, testing::ContainsRegex("long_scoreboard.\\. All blocks start at once"));
}

}  // namespace
}  // namespace sassim::report
