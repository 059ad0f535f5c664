// SPDX-License-Identifier: Apache-2.0
// Result files: whole or as they were, and never an input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/base/durable_file.h"
#include "sim/base/input_file.h"
#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;

class Output : public testing::Test {
 protected:
  Output() { std::filesystem::copy_file(SASSIM_BINARY_DIR "/traces/sm_70/vector_add.sast", trace_); }

  std::string run(const std::string& options) const {
    return "run " + trace_ + " --config v100 -o sm.count=2 --lines 0 " + options;
  }

  TestFolder folder_;
  const std::string trace_ = folder_ / "a.sast";
};

TEST_F(Output, AnInputIsNotOverwritten) {
  const auto before = read_whole_file(trace_);
  for (const std::string& line :
       {run("--json " + trace_), run("--csv " + trace_), "trace slice " + trace_ + " " + trace_ + " --blocks 0",
        "trace info " + trace_ + " --json " + trace_}) {
    const Outcome outcome = sassim_run(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr("is read by this command")) << line;
    EXPECT_EQ(read_whole_file(trace_), before) << line;
  }
  EXPECT_EQ(sassim_run(run("--json " + (folder_ / "x") + " --csv " + (folder_ / "x"))).status, 2);
}

TEST_F(Output, AFileThatCannotBeWrittenInWholeStaysAsItWas) {
  const std::string json = folder_ / "result.json";
  write_durably(json, "good");
  const Outcome outcome = run_command("ulimit -f 4; " SASSIM_BINARY_DIR "/sassim " + run("--json " + json));
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(json + ": cannot be written: File too large; raise the limit of file sizes"));
  EXPECT_EQ(read_whole_file(json), "good");
  EXPECT_THAT(sassim_run(run("--json " + (folder_ / "none/result.json"))).err, HasSubstr("make the folder"));
  EXPECT_THAT(sassim_run(run("--json /dev/full")).err, HasSubstr("No space left on device"));
}

TEST_F(Output, TheReportGoesWhereItIsAskedFor) {
  const std::string report = sassim_run(run("")).out, file = folder_ / "report.txt";
  EXPECT_THAT(report, HasSubstr("Bound by"));
  const Outcome there = sassim_run(run("--report stderr"));
  EXPECT_EQ(there.out, "");
  EXPECT_EQ(there.err, report);
  const Outcome nowhere = sassim_run(run("--report none"));
  EXPECT_EQ(nowhere.out + nowhere.err, "");
  const Outcome written = sassim_run(run("--report " + file));
  EXPECT_EQ(written.out + written.err, "");
  EXPECT_EQ(read_whole_file(file), report);
  EXPECT_EQ(sassim_run(run("--report " + trace_)).status, 2) << "an input";
  EXPECT_EQ(sassim_run(run("--report " + (folder_ / "none/report.txt"))).status, 3);
}

TEST_F(Output, ARunWithoutProgressWritesWhoWaitsForWhom) {
  const std::string dot = folder_ / "waits.dot";
  const std::string slow = " -o memory.dram.latency=9000 -o sm.l1.pending_loads=0 --wait-graph " + dot;
  EXPECT_EQ(sassim_run(run(slow)).status, 0);
  EXPECT_FALSE(std::filesystem::exists(dot)) << "it made progress";
  const Outcome outcome = sassim_run(run(slow + " --no-progress-cycles 1000"));
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("dependence counter"));
  EXPECT_THAT(outcome.err, HasSubstr("-> memory port of SM 0"));
  EXPECT_LE(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 22) << outcome.err;
  const std::string text = read_whole_file(dot).value_or("");
  EXPECT_THAT(text, testing::StartsWith("digraph waits {\n"));
  EXPECT_THAT(text, testing::EndsWith("}\n"));
  EXPECT_THAT(text, HasSubstr("[label=\"memory port of SM 1"));
  const Outcome limited = sassim_run(run("-o memory.dram.latency=9000 --no-progress-cycles 1000"));
  EXPECT_THAT(limited.err, HasSubstr("lines outstanding for 32 loads, the most that may wait"));
  EXPECT_EQ(sassim_run(run("--wait-graph " + trace_)).status, 2) << "an input";
}

TEST_F(Output, ASliceSaysSoInEveryReport) {
  const std::string slice = folder_ / "slice.sast", json = folder_ / "result.json";
  ASSERT_EQ(sassim_run("trace slice " + trace_ + " " + slice + " --blocks 0..7").status, 0);
  const Outcome outcome = sassim_run("run " + slice + " --config v100 -o sm.count=2 --json " + json);
  EXPECT_THAT(outcome.out, HasSubstr("a slice of the launch: 8 of its 256 thread blocks"));
  const auto result = nlohmann::json::parse(read_whole_file(json).value());
  EXPECT_EQ(result["kernels"][0]["slice"], (nlohmann::json{{"blocks", 8}, {"of", 256}}));
  const Outcome explored =
      sassim_run("explore " + slice + " --config v100 -o sm.count=2 --vary l2.latency=60 --out " + (folder_ / "study"));
  EXPECT_THAT(explored.out, HasSubstr("a slice of the launch: 8 of its 256 thread blocks"));
  const Outcome whole = sassim_run(run("--json " + json));
  EXPECT_THAT(whole.out, testing::Not(HasSubstr("a slice of the launch")));
  EXPECT_FALSE(nlohmann::json::parse(read_whole_file(json).value())["kernels"][0].contains("slice"));
}

TEST_F(Output, AResultSaysWhatMadeIt) {
  const std::string json = folder_ / "result.json";
  ASSERT_EQ(sassim_run(run("--caches warm --json " + json)).status, 0);
  const auto result = nlohmann::json::parse(read_whole_file(json).value());
  EXPECT_EQ(result["version"], SASSIM_VERSION);
  EXPECT_EQ(result["caches"], "warm");
  const auto& kernel = result["kernels"][0];
  EXPECT_EQ(kernel["trace"], trace_);
  EXPECT_EQ(kernel["trace_hash"].get<std::string>().size(), 16u);
  EXPECT_EQ(kernel["dependence_mode"], "control_bits");
  const Outcome version = sassim_run("--version");
  if (result.contains("commit"))  // of a build in a clone
    EXPECT_THAT(version.out, HasSubstr("(" + result["commit"].get<std::string>() + ")"));
  else
    EXPECT_THAT(version.out, testing::Not(HasSubstr("(")));
}

TEST_F(Output, FoldersThatCannotBeWrittenAreFoundBeforeAnythingRuns) {
  const std::string file = folder_ / "file";
  write_durably(file, "no folder");
  std::filesystem::create_directories(folder_.path() / "taken/points.csv");
  std::filesystem::create_directories(folder_.path() / "taken/validation.json");
  for (const std::string& out : {file + "/below", folder_ / "taken"})
    for (const std::string& command : {"explore " + trace_ + " --config v100 --vary l2.latency=60,70 --out " + out,
                                       "sweep --config t4 --workload sfu --alpha 0 --warps 4 --out " + out,
                                       "validate --config t4 --prepared --only t4.lat --out " + out}) {
      const Outcome outcome = sassim_run(command);
      EXPECT_EQ(outcome.status, 3) << command;
      EXPECT_THAT(outcome.err, HasSubstr("cannot be written")) << command;
      EXPECT_THAT(outcome.err, testing::Not(HasSubstr("running"))) << command;
    }
}

TEST_F(Output, StandardOutputIsAFileToo) {
  const Outcome outcome = sassim_run(run("--json /dev/stdout | grep -m 1 -A 1 '^{'"));
  EXPECT_EQ(outcome.out, "{\n\"schema\": \"sassim-result/1\",\n");
}

}  // namespace
}  // namespace sassim
