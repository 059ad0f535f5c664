// SPDX-License-Identifier: Apache-2.0
// The report on standard output: one launch in detail, several as a list, every line of the source. What `sassim check`
// says of limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kSgemm = SASSIM_BINARY_DIR "/traces/sm_75/sgemm_tiled.sast";
const std::string kOther = SASSIM_BINARY_DIR "/traces/sm_75/saxpy.sast";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Report, OneLaunchIsShownInSections) {
  const std::string text = sassim_run("run " + kSgemm + " --config t4").out;
  std::size_t at = 0;
  for (const char* part :
       {"sgemm_tiled(", "Bound by", "Time", "Time line of the launch", "GPU Speed of Light", "Launch and Occupancy",
        "Scheduler", "Instructions", "Instruction Mix", "Memory Workload", "Shared memory", "Warp State", "Source"}) {
    const std::size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " in\n" << text;
    at = found;
  }
  EXPECT_THAT(sassim_run("run " + kSgemm + " --config t4 --mangled").out, HasSubstr("_Z11sgemm_tiled"));
}

TEST(Report, SeveralLaunchesAreALineEachAndTheirSum) {
  const std::string both = "run " + kSgemm + " " + kOther + " " + kSgemm + " --config t4 --no-skip";
  const Outcome all = sassim_run(both);
  ASSERT_EQ(all.status, 0) << all.err;
  const auto lines = lines_of(all.out);
  ASSERT_EQ(lines.size(), 6u) << all.out;
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i <= 3; ++i) {
    std::istringstream in(lines[i]);
    std::uint64_t number = 0, cycles = 0;
    in >> number >> cycles;
    EXPECT_EQ(number, i - 1);
    sum += cycles;
  }
  EXPECT_THAT(lines[4], HasSubstr("3 launches: " + std::to_string(sum) + " cycles"));
  EXPECT_THAT(lines[5], HasSubstr("Caches at each kernel's start: cold"));
  EXPECT_EQ(lines_of(sassim_run(both + " --kernel sgemm").out).size(), 5u);
  EXPECT_THAT(sassim_run(both + " --kernel 'saxpy\\('").out, HasSubstr("Speed of Light"));
  EXPECT_THAT(sassim_run(both + " --launch-skip 2").out, HasSubstr("Speed of Light"));
  EXPECT_EQ(lines_of(sassim_run(both + " --launch-count 2").out).size(), 5u);
  const Outcome none = sassim_run(both + " --kernel nothing");
  EXPECT_EQ(none.status, 0);
  const std::string told = "sassim: no launch is reported: ";
  EXPECT_EQ(none.err, told + "--kernel 'nothing' matches none of 3 launches; kernels: saxpy, sgemm_tiled\n");
  EXPECT_EQ(sassim_run(both + " --launch-skip 3 --launch-count 1").err,
            told + "--launch-skip 3 leaves out all 3 launches\n");
  EXPECT_EQ(sassim_run(both + " --kernel saxpy --launch-skip 1 --launch-count 1").err,
            told + "--launch-skip 1 leaves out the only launch that --kernel 'saxpy' matches\n");
  const Outcome wrong = sassim_run(both + " --kernel '('");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--kernel"));
}

TEST(Report, TheSourcePageHasEveryLineAndTheFilesHaveTheSame) {
  TestFolder folder;
  const Outcome outcome = sassim_run("run " + kSgemm + " --config t4 --page source --json " + (folder / "r.json") +
                                     " --csv-source " + (folder / "s.csv"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::ifstream json_file(folder / "r.json");
  const auto kernel = nlohmann::json::parse(json_file)["kernels"][0];
  std::ifstream csv(folder / "s.csv");
  std::string row;
  std::getline(csv, row);
  std::size_t rows = 0;
  while (std::getline(csv, row)) ++rows;
  EXPECT_EQ(rows, kernel["lines"].size());
  EXPECT_EQ(lines_of(outcome.out).size(), rows + 3);  // the kernel's name, the table's head, an empty line
  bool memory = false, waits = false;
  for (const auto& line : kernel["lines"]) {
    EXPECT_THAT(outcome.out, HasSubstr(line["control"].get<std::string>()));
    memory = memory || line.contains("memory");
    waits = waits || line.contains("waits_for");
  }
  EXPECT_TRUE(memory && waits);
  EXPECT_EQ(kernel["bound"]["cause"].get<std::string>().empty(), false);
}

TEST(Report, WhatALineWaitsForIsNamedWithAndWithoutControlBits) {
  const std::string gather = SASSIM_BINARY_DIR "/traces/sm_75/gather.sast";
  for (const std::string mode : {"", " -o sm.issue.dependence=scoreboard"}) {
    TestFolder folder;
    const std::string run = "run " + gather + " --config t4" + mode;
    EXPECT_THAT(sassim_run(run).out, HasSubstr("Warps wait longest for LDG.E.SYS R5, [R4] at 00a0: ")) << mode;
    const Outcome outcome = sassim_run(run + " --page source --csv-source " + (folder / "s.csv"));
    EXPECT_THAT(outcome.out, testing::ContainsRegex("00c0 .*STG.E.SYS .*long_scoreboard [0-9]+ for 00a0")) << mode;
    std::ifstream csv(folder / "s.csv");
    const std::string text{std::istreambuf_iterator<char>(csv), std::istreambuf_iterator<char>()};
    EXPECT_THAT(text, testing::ContainsRegex("\"STG.E.SYS .*,160,[0-9]")) << mode;
  }
}

TEST(Report, MetricsAreListed) {
  const Outcome outcome = sassim_run("metrics --config t4 'launch__waves|gcc__'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("launch__waves_per_multiprocessor"));
  EXPECT_THAT(outcome.out, HasSubstr("thread blocks of the grid over those that all SMs hold at once"));
  EXPECT_THAT(outcome.out, HasSubstr("gcc__cache_requests_type_constant.sum"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("smsp__inst_executed.sum")));
  EXPECT_EQ(sassim_run("metrics").status, 0);
}

TEST(Metrics, RollupsAreNamedAndExplained) {
  const std::string one = "metrics --config t4 '^dram__bytes.sum'";
  const Outcome text = sassim_run(one);
  EXPECT_THAT(text.out, testing::ContainsRegex("dram__bytes.sum +byte +[a-z]+ +sum +bytes read from"));
  EXPECT_THAT(text.out, testing::ContainsRegex("dram__bytes.sum.per_second +byte/s +[a-z]+ +sum.per_second +bytes"));
  EXPECT_THAT(text.out, testing::ContainsRegex("\nRollups\nsum +sum over all instances"));
  EXPECT_THAT(text.out, Not(HasSubstr("mean over"))) << "explained are those that are listed";
  const auto json = nlohmann::json::parse(sassim_run(one + " --json").out);
  ASSERT_EQ(json["metrics"].size(), 2u);
  EXPECT_EQ(json["metrics"][0]["name"], "dram__bytes.sum");
  EXPECT_EQ(json["metrics"][0]["rollup"], "sum");
  EXPECT_EQ(json["metrics"][1]["rollup"], "sum.per_second");
  EXPECT_EQ(json["metrics"][1]["unit"], "byte/s");
  for (const auto& metric : json["metrics"]) {
    EXPECT_FALSE(metric["meaning"].get<std::string>().empty());
    EXPECT_TRUE(json["rollups"].contains(metric["rollup"].get<std::string>()));
  }
  EXPECT_EQ(nlohmann::json::parse(sassim_run("metrics gcc__ --json").out)["missing"].size(), 4u);
}

TEST(Metrics, BreakdownsAreListed) {
  const char* breakdown = "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed";
  const std::string text = sassim_run("metrics --config t4 breakdown:sm__").out;
  EXPECT_THAT(text, HasSubstr(std::string(breakdown) + "\n    sm__issue_active.avg.pct_of_peak_sustained_elapsed\n"));
  const auto json = nlohmann::json::parse(sassim_run("metrics --config t4 sm__throughput --json").out);
  EXPECT_EQ(json["breakdowns"].size(), 1u);
  EXPECT_EQ(json["breakdowns"][breakdown].size(), 11u);
}

TEST(Metrics, APatternThatMatchesNothingIsAnError) {
  const Outcome outcome = sassim_run("metrics frobs");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("no metric has 'frobs' in its name"));
  EXPECT_EQ(sassim_run("metrics gpc__cycles_elapsed.max").out.find("does not have"), std::string::npos);
}

const std::string kPlanted = SASSIM_SOURCE_DIR "/tests/data/planted/";
const std::string kTraces = " --trace " + kPlanted + "bank_conflicts.sast --trace " + kPlanted + "fp64.sast";

TEST(CheckLimits, ABrokenLimitIsTheStatus) {
  TestFolder folder;
  const std::string junit = (folder.path() / "junit.xml").string();
  const Outcome outcome = sassim_run("check " + kPlanted + "limits.yaml" + kTraces + " --junit " + junit);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("broken  t4       bank_conflicts: gpc__cycles_elapsed.max is "));
  EXPECT_THAT(outcome.out, HasSubstr("\n2 of 3 limits are held\n"));
  std::ifstream in(junit);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(in), {}), HasSubstr("tests=\"3\" failures=\"1\""));
}

TEST(CheckLimits, OverridesCountOnEveryGpu) {
  const Outcome outcome = sassim_run("check " + kPlanted + "limits.yaml -o sm.shared.bank_conflicts=false" + kTraces);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "3 of 3 limits are held\n");
}

TEST(CheckLimits, NothingToRunIsWrongUsage) {
  EXPECT_EQ(sassim_run("check " + kPlanted + "limits.yaml").status, 2);
  EXPECT_EQ(sassim_run("check " + kPlanted + "limits.yaml" + kTraces + " -- /bin/true").status, 2);
  EXPECT_EQ(sassim_run("check " + kPlanted + "bank_conflicts.sast" + kTraces).status, 3);
}

}  // namespace
}  // namespace sassim
