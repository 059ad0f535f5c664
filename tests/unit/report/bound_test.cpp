// SPDX-License-Identifier: Apache-2.0
#include "sim/report/bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "sim/report/kernel_json.h"
#include "sim/report/waits.h"

namespace sassim::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A kernel whose warps wait for global memory, on 10 SMs with places for 40 blocks.
KernelReport waiting(double blocks) {
  KernelReport kernel;
  const auto set = [&](const char* name, double value) { kernel.metrics.read(name, "", value, false); };
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

std::vector<Cause> causes_of(const KernelReport& kernel) {
  std::vector<Cause> all;
  for (const CauseFound& found : find_bound(kernel).causes) all.push_back(found.cause);
  return all;
}

std::string_view what_if(const KernelReport& kernel) { return cause_row(find_bound(kernel).cause).what_if.front(); }

TEST(Bound, TheLargestEstimateComesFirstAndSmallOnesAreLeftOut) {
  KernelReport kernel = waiting(40);
  kernel.metrics.read("sassim__phase_launch.cycles", "", 200, false);
  kernel.metrics.read("sassim__warp_cycles_barrier.sum", "", 210, false);
  kernel.metrics.read("sassim__warp_cycles_imc_miss.sum", "", 40, false);
  const Bound bound = find_bound(kernel), brief = find_causes(kernel);
  EXPECT_THAT(causes_of(kernel), testing::ElementsAre(Cause::latency, Cause::launch, Cause::barrier))
      << "constants cost less than 5 %";
  EXPECT_EQ(brief_json(brief), brief_json(bound));
  EXPECT_EQ(bound_name(kernel), cause_row(bound.cause).name);
  // 800 of the 1250 cycles of warps, of the 80 % of the time in which blocks run.
  EXPECT_NEAR(bound.causes[0].gain, 80 * 800 / 1250.0, 1e-9);
  EXPECT_NEAR(bound.causes[1].gain, 20, 1e-9);
  EXPECT_THAT(bound.sentence,
              testing::StartsWith("Bound by memory latency (about 51 % of the time): warps wait 51 % of "));
  EXPECT_THAT(bound.sentence,
              HasSubstr(" Then by the launch (about 20 % of the time): 200 cycles pass before the first "
                        "block starts. Then by barriers (about 13 % of the time)"));
  EXPECT_EQ(
      to_json(bound)["causes"][1].dump(),
      R"({"cause":"launch","gain_pct":20.0,"text":"200 cycles pass before the first block starts","what_if":["no launch"]})");
}

TEST(Bound, ATailNeedsMoreThanOneWave) {
  for (const double blocks : {12.0, 40.0, 41.0}) {
    KernelReport kernel = waiting(blocks);
    kernel.metrics.read("sassim__tail_idle.pct", "", 57, false);
    EXPECT_THAT(causes_of(kernel), blocks > 40 ? testing::Matcher<std::vector<Cause>>(testing::Contains(Cause::tail))
                                               : Not(testing::Contains(Cause::tail)));
  }
}

TEST(Bound, BlocksOfOneWaveThatDifferAreSaidBehindTheCauses) {
  KernelReport kernel = waiting(12);
  EXPECT_THAT(find_bound(kernel).sentence, Not(HasSubstr("the longest decide")));
  kernel.metrics.read("sassim__tail_idle.pct", "", 57, false);
  EXPECT_THAT(find_bound(kernel).sentence,
              HasSubstr("the longest decide: places of blocks that have ended are empty for 57 % of the time."));
}

TEST(Bound, OneBlockIsOne) {
  EXPECT_THAT(find_bound(waiting(1)).sentence, testing::EndsWith(" 1 block for 10 SMs leaves 9 SMs without work."));
  EXPECT_THAT(find_bound(waiting(4)).sentence, testing::EndsWith(" 4 blocks for 10 SMs leave 6 SMs without work."));
  EXPECT_THAT(find_bound(waiting(8)).sentence, Not(HasSubstr("without work")));
}

KernelReport busy(const std::string& pipe) {
  KernelReport kernel = waiting(200);
  kernel.metrics.read("sassim__warp_cycles_math_pipe_throttle.sum", "", 4000, false);
  kernel.metrics.read("sm__pipe_" + pipe + "_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", 35.5, false);
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
  EXPECT_THAT(adu.sentence, HasSubstr("is 71 % busy while SMs have warps."));
  EXPECT_EQ(to_json(adu)["evidence"]["adu_busy_while_sm_active.pct"], 71);
  EXPECT_EQ(to_json(find_bound(waiting(40)))["evidence"]["waiting_for_memory.pct"], 80);
  KernelReport barrier = waiting(40);
  barrier.metrics.read("sassim__warp_cycles_barrier.sum", "", 1000, false);
  EXPECT_EQ(to_json(find_bound(barrier))["evidence"].dump(),
            R"({"waiting.pct":50.0,"sassim__warp_cycles_barrier.sum":1000.0})");
}

/// Work of the drain is divided by a time that has the drain in it.
TEST(Bound, BusySharesAreOfTheTimeFromTheFirstBlockToTheEnd) {
  KernelReport kernel = waiting(40);
  kernel.metrics.read("sassim__phase_launch.cycles", "", 500, false);
  kernel.metrics.read("sassim__phase_drain.cycles", "", 400, false);
  kernel.metrics.read("dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", 45, false);
  EXPECT_THAT(find_bound(kernel).sentence, HasSubstr("DRAM is 90 % busy from the first block to the end"));
  EXPECT_NEAR(to_json(find_bound(kernel))["causes"][1]["gain_pct"].get<double>(), 10 * 0.8 + 40, 1e-9)
      << "the waits of the 10 % in which blocks run, and the drain";
}

/// A number that is cut looks right where it is wrong.
TEST(Bound, NothingIsCutAtAHundredPercent) {
  const std::regex cut(R"((std::min|Math\.min)(<\w+>)?\((100(\.0)?|1\.0)\b|)"
                       R"((std::(min|clamp)|Math\.min)(<\w+>)?\([^;]*,\s*(100(\.0)?|1\.0)\))");
  std::size_t files = 0;
  for (const char* folder : {SASSIM_SOURCE_DIR "/sim/report", SASSIM_SOURCE_DIR "/sim/page"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".h" && extension != ".js") continue;
      ++files;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);)
        EXPECT_FALSE(std::regex_search(line, cut)) << entry.path() << ": " << line;
    }
  EXPECT_GT(files, 40u);
  EXPECT_TRUE(std::regex_search("return std::min(100.0, share);", cut));
  EXPECT_TRUE(std::regex_search("std::clamp(x / y, 0.0, 1.0)", cut));
}

TEST(Bound, OfASliceTheBlocksThatRanCount) {
  KernelReport slice = waiting(200);
  slice.grid = {200, 1, 1};
  slice.slice_blocks = 4;
  slice.metrics.read("sassim__tail_idle.pct", "", 57, false);
  EXPECT_THAT(find_bound(slice).sentence,
              HasSubstr(" Only 4 of the 200 blocks ran, which leaves 6 of 10 SMs without work."));
  slice.slice_blocks = 40;
  EXPECT_THAT(causes_of(slice), Not(testing::Contains(Cause::tail))) << "one wave";
  slice.slice_blocks = 60;
  EXPECT_THAT(find_bound(slice).sentence, testing::ContainsRegex("the tail .*: 1.5 waves"));
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

TEST(Bound, TheLinesFollowFromTheFirstCauseThatHasSome) {
  KernelReport kernel = mixed();
  EXPECT_EQ(find_bound(kernel).where.sentence,
            "Warps wait for LDG.E R2, [R4] at 0000: 30 % of their cycles, at 0020 FADD R2, R2, R3 (long_scoreboard)")
      << "not the longest wait, which is for a constant";
  EXPECT_EQ(to_json(find_bound(kernel))["where"].dump(),
            R"({"pc":32,"reason":"long_scoreboard","waits_for":[0],"warp_cycles_pct":30.0})");
  kernel.metrics.read("sassim__warp_cycles_imc_miss.sum", "", 5000, false);
  EXPECT_EQ(find_bound(kernel).where.sentence,
            "Warps wait longest at 0040 MOV R5, c[0x0][0x28]: 50 % of their cycles (imc_miss)");
  kernel.metrics.read("sassim__warp_cycles_barrier.sum", "", 9000, false);
  EXPECT_EQ(find_bound(kernel).where.sentence,
            "Warps wait for BAR.SYNC 0x0 at 0030: 3 % of their cycles, at 0040 MOV R5, c[0x0][0x28] (barrier)");
  kernel.metrics.read("sassim__lts_atomic_hottest.pct_of_peak", "", 95, false);
  kernel.metrics.read("lts__t_sectors_op_red.sum", "", 10, false);
  kernel.metrics.read("sassim__lts_atomic_cycles_busy.sum", "", 1000, false);
  EXPECT_EQ(
      find_bound(kernel).where.sentence,
      "All atomics come from @P0 RED.E.ADD [R6], R2 at 0050; warps wait 12 % of their cycles for it, at 0060 EXIT "
      "(drain)");
  kernel.lines.push_back(line(0x70, "ATOMG.E.ADD R8, [R6], R2", "atomic"));
  EXPECT_THAT(find_bound(kernel).where.sentence, HasSubstr("50 % of the atomics come from"));
  KernelReport short_one = mixed();
  short_one.metrics.read("sassim__phase_launch.cycles", "", 990, false);
  EXPECT_EQ(find_bound(short_one).cause, Cause::launch);
  EXPECT_EQ(find_bound(short_one).where.sentence, "") << "no line explains the launch, which alone is named";
}

TEST(Bound, ACompactRowLeavesOutWhatItsReaderComposesAgain) {
  const KernelReport kernel = mixed();
  KernelWriter writer(KernelForm::compact);
  KernelReader reader;
  const auto whole = writer.write(kernel), brief = writer.write(kernel);
  EXPECT_EQ(whole["bound"].dump(), to_json(find_bound(kernel)).dump());
  EXPECT_FALSE(brief["bound"].contains("sentence"));
  EXPECT_EQ(brief["bound"]["cause"], whole["bound"]["cause"]);
  for (std::size_t i = 0; i < whole["bound"]["causes"].size(); ++i)
    EXPECT_EQ(brief["bound"]["causes"].at(i)["gain_pct"], whole["bound"]["causes"][i]["gain_pct"]);
  reader.read(whole, "test");
  EXPECT_EQ(find_bound(reader.read(brief, "test")).sentence, find_bound(kernel).sentence);
}

TEST(Bound, WhatIsSaidOfAllBlocksStandsBehindTheLines) {
  KernelReport kernel = mixed();
  kernel.metrics.read("sassim__tail_idle.pct", "", 57, false);
  EXPECT_THAT(find_bound(kernel).sentence, testing::ContainsRegex("long_scoreboard.\\. All blocks start at once"));
}

}  // namespace
}  // namespace sassim::report
