// SPDX-License-Identifier: Apache-2.0
#include "sim/report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sassim::report {
namespace {

using testing::HasSubstr;

KernelReport hostile() {
  KernelReport kernel;
  kernel.name = "k\x1b[2J\xff";
  kernel.metrics.read("gpc__cycles_elapsed.max", "cycle", 5006, true);
  kernel.notes.emplace_back("note\x07");
  kernel.lines.push_back({16, "FADD\x1b[31m R1, R2, R3", 32, {{"wait", 128}}});
  return kernel;
}

TEST(Terminal, DigitsAreGroupedForPeopleOnly) {
  const std::string plain = kernel_text(hostile(), "t4");
  EXPECT_NE(plain.find(" 5006 cycles"), std::string::npos) << plain;
  EXPECT_NE(kernel_text(hostile(), "t4", {.for_people = true}).find(" 5 006 cycles"), std::string::npos);
  EXPECT_NE(kernel_text(hostile(), "t4", {.all_metrics = true}).rfind(" 5006 cycles"), plain.find(" 5006 cycle"));
}

TEST(Terminal, NothingFromATraceIsObeyed) {
  for (const std::string& text : {kernel_text(hostile(), "t4"), csv_rows(0, hostile()), to_json(hostile()).dump()})
    for (const char byte : text)
      EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~')) << static_cast<int>(byte) << " in " << text;
  EXPECT_NE(kernel_text(hostile(), "t4").find("k\\x1b[2J\\xff"), std::string::npos);
  EXPECT_EQ(to_json(hostile())["name"], "k\\x1b[2J\\xff");
}

KernelReport counted() {
  KernelReport kernel;
  kernel.name = "_Z4workPf";
  kernel.metrics.read("gpc__cycles_elapsed.max", "cycle", 1, false);
  kernel.metrics.read("dram__bytes_read.sum", "byte", 3 << 20, false);
  kernel.metrics.read("gpu__time_duration.sum", "ns", 1500, false);
  kernel.metrics.read("launch__grid_size", "block", 2, false);
  return kernel;
}

// A program finds the number before the unit, one word each; a person gets singular, plural and multiples.
TEST(Terminal, NumbersHaveTheirUnits) {
  const std::string plain = kernel_text(counted(), "t4", {.all_metrics = true});
  for (const char* part : {" 1 cycle\n", " 3145728 bytes\n", " 1500 ns\n", " 2 blocks\n", "work(float*)  grid"})
    EXPECT_NE(plain.find(part), std::string::npos) << part << " in\n" << plain;
  const std::string people = kernel_text(counted(), "t4", {.all_metrics = true, .for_people = true, .mangled = true});
  for (const char* part : {" 3.00 MiB\n", " 1.50 us\n", "_Z4workPf  grid"})
    EXPECT_NE(people.find(part), std::string::npos) << part << " in\n" << people;
}

TEST(Terminal, TheExpectedErrorStandsBesideTheCycles) {
  EXPECT_EQ(kernel_text(counted(), "t4").find("expected error"), std::string::npos);
  EXPECT_NE(kernel_text(counted(), "t4", {.expected_error = 5.9}).find("expected error of the cycles"),
            std::string::npos);
}

KernelReport measured() {
  KernelReport kernel = counted();
  stats::MetricSet& m = kernel.metrics;
  const std::vector<std::string> parts = {"sm__issue_active.avg.pct_of_peak_sustained_elapsed",
                                          "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
                                          "sm__pipe_xu_cycles_active.avg.pct_of_peak_sustained_elapsed",
                                          "sassim__new.pct", "sm__mio_inst_issued.avg.pct_of_peak_sustained_elapsed"};
  for (std::size_t i = 0; i < parts.size(); ++i) m.read(parts[i], "%", 10.0 * static_cast<double>(i), false);
  m.read("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", 40, false, parts);
  for (const auto& [limit, blocks] : {std::pair("registers", 4), std::pair("shared_mem", 16), std::pair("warps", 4)})
    m.read(std::string("launch__occupancy_limit_") + limit, "block", blocks, false);
  m.read("launch__occupancy_limit_blocks", "block", 16, false);
  m.read("launch__shared_mem_per_block", "byte", 0, false);
  m.read("smsp__inst_executed_op_shared_ld.sum", "inst", 10, true);
  m.read("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront", 80, true);
  m.read("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict", 60, true);
  m.read("sassim__shared_conflict_ways_op_ld.ratio", "ratio", 4, false);
  return kernel;
}

// Below a throughput stand its three busiest parts; a part without a label has its own name.
TEST(Terminal, PartsStandBelowTheirThroughput) {
  EXPECT_THAT(kernel_text(measured(), "t4"),
              HasSubstr("    compute (SM)                                          40 %\n"
                        "      memory stage                                        40 %\n"
                        "      sassim__new.pct                                     30 %\n"
                        "      xu pipe                                             20 %\n"
                        "  Launch"));
}

TEST(Terminal, WhatLimitsTheOccupancyIsNamed) {
  EXPECT_THAT(kernel_text(measured(), "t4"), HasSubstr("limited by                  registers, the number of warps\n"));
  KernelReport by_blocks = measured();
  by_blocks.metrics.read("launch__occupancy_limit_blocks", "block", 2, true);
  by_blocks.metrics.read("launch__occupancy_limit_shared_mem", "block", 2, true);
  EXPECT_THAT(kernel_text(by_blocks, "t4"), testing::ContainsRegex("limited by +the number of blocks\n"))
      << "it has no shared memory";
}

TEST(Terminal, WaysOfBankConflictsAreExplained) {
  const std::string text = kernel_text(measured(), "t4");
  EXPECT_THAT(text, testing::ContainsRegex("loads +10 +80 +8.00 +4.00 +60\n"));
  EXPECT_THAT(text, HasSubstr("(n-way: passes of the accesses over the passes that they need without bank conflicts"));
}

TEST(Terminal, AStoppedRunSaysHowFarItCame) {
  EXPECT_EQ(partial_text(2, std::nullopt), "partial: the run was stopped after 2 launches");
  EXPECT_EQ(partial_text(1, RunningKernel{"_Z4workPf", 500, 32, 3, 8}),
            "partial: the run was stopped after 1 launch, while work(float*) ran: 500 cycles, 3 of 8 thread blocks had "
            "ended");
  RunningKernel kernel{"_Z4workPf", 1, 32, 1, 1};
  EXPECT_EQ(partial_text(1, kernel, true),
            "partial: the run was stopped after 1 launch, while _Z4workPf ran: 1 cycle, 1 of 1 thread block had ended");
  kernel.recording = true;
  EXPECT_EQ(partial_text(0, kernel),
            "partial: the run was stopped after 0 launches, while work(float*) was recorded, before it was timed: 32 "
            "warp instructions");
  EXPECT_EQ(partial_text(0, RunningKernel{"work"}), "partial: the run was stopped after 0 launches, while work ran");
}

}  // namespace
}  // namespace sassim::report
