// SPDX-License-Identifier: Apache-2.0
// Simulated time as a program sees it: clocks, events; and the rest of the runtime, timed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;

/// The number after `before` in `text`; -1 when there is none.
double number_after(const std::string& text, const std::string& before) {
  const auto at = text.find(before);
  return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + before.size(), nullptr);
}

TEST(ExecTime, AMicrobenchmarkPrintsSimulatedCycles) {
  const Outcome outcome = exec("--config v100 -o sm.count=1", "clock_chain");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // 256 dependent FFMA of 4 cycles each (V100 report, table 4.1). A launch empties the L0 instruction cache: fetching
  // this code from beyond it costs 108 cycles here; the bound is what an H200 takes for a first pass of 4 KiB, 451, for
  // lack of a V100's.
  const double cycles = number_after(outcome.out, "run 1: 256 instructions, ");
  EXPECT_GE(cycles, 4 * 256) << outcome.out;
  EXPECT_LE(cycles, 4 * 256 + 451) << outcome.out;
}

TEST(ExecTime, WithoutTimingTheLogSaysWhatClocksAre) {
  const Outcome outcome = exec("--config v100 --functional", "clock_chain");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(number_after(outcome.out, "run 1: 256 instructions, "),
            number_after(outcome.out, "run 0: 256 instructions, "));
  EXPECT_THAT(outcome.err,
              HasSubstr("reads the clock: without timing (--functional) it gets the number of instructions"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "once";
}

TEST(ExecTime, AKernelThatBranchesOnTheClockIsLive) {
  const Outcome outcome = exec("--config v100 -o sm.count=1", "misbehave clock");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("(live)"));
}

TEST(ExecTime, AKernelThatIsNotLiveCountsInstructions) {
  const Outcome outcome = exec("--config v100 -o sm.count=1 --live=never", "clock_chain");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(number_after(outcome.out, "run 1: 256 instructions, "),
            number_after(outcome.out, "run 0: 256 instructions, "));
  EXPECT_THAT(outcome.err, HasSubstr("reads the clock: with --live=never it gets the number of instructions"));
  EXPECT_THAT(outcome.out, HasSubstr("clocks counted instructions (with --live=never)"));
}

TEST(ExecTime, EventsAroundWorkAreApartWithoutTheTimingModelToo) {
  const Outcome outcome = exec("--config v100 --functional", "runtime");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_GT(number_after(outcome.out, "elapsed "), 0) << outcome.out;
}

TEST(ExecTime, TheRuntimeDoesWhatProgramsExpect) {
  const Outcome outcome = exec("--config v100 -o sm.count=2", "runtime");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const char* feature :
       {"copies", "rows", "symbols", "host_memory", "streams", "cooperative", "launches", "threads"})
    EXPECT_THAT(outcome.out, HasSubstr(std::string(feature) + " ok\n"));
  // Three launches of one block: over a microsecond each, far from a millisecond.
  const double milliseconds = number_after(outcome.out, "elapsed ");
  EXPECT_GT(milliseconds, 3e-3) << outcome.out;
  EXPECT_LT(milliseconds, 1e-1) << outcome.out;
}

// --time chosen: launches that nobody asks for are executed without timing.

using Json = nlohmann::json;
using testing::HasSubstr;

struct Chosen {
  Outcome outcome;
  Json kernels;
};

Chosen chosen(const std::string& options) {
  TestFolder folder;
  const std::string json = folder / "result.json";
  Chosen result{exec("--config v100 -o sm.count=4 --report none --json " + json + " " + options, "two_kernels"), {}};
  EXPECT_EQ(result.outcome.out, "1\n3\n5\n") << "every launch is executed";
  std::ifstream in(json);
  result.kernels = Json::parse(in)["kernels"];
  return result;
}

TEST(ExecChosen, OthersAreExecutedWithoutTiming) {
  const Chosen all = chosen("--caches cold --kernel work"), some = chosen("--caches cold --kernel work --time chosen");
  EXPECT_EQ(all.outcome.status + some.outcome.status, 0);
  ASSERT_EQ(some.kernels.size(), 3u);
  EXPECT_EQ(some.kernels, all.kernels) << "cold, each launch has the times that it has among the others";
  EXPECT_THAT(all.outcome.err, Not(HasSubstr("without timing")));
  EXPECT_THAT(some.outcome.err, HasSubstr("3 launches were executed without timing (--time chosen)\n"));
}

TEST(ExecReuse, ALaunchThatIsEqualToOneBeforeIsNotSimulatedAgain) {
  const Chosen reused = chosen("--caches cold"), simulated = chosen("--caches cold --no-skip"), kept = chosen("");
  EXPECT_EQ(reused.kernels, simulated.kernels);
  EXPECT_THAT(reused.outcome.err, HasSubstr("4 launches were not simulated again: with cold caches an equal launch has "
                                            "an equal result (--no-skip)\n"));
  EXPECT_EQ(simulated.outcome.err, "");
  EXPECT_EQ(kept.outcome.err, "") << "it may find something else in the caches";
}

TEST(ExecChosen, CachesThatAreKeptLackWhatTheOthersLeave) {
  const Chosen all = chosen("--kernel work"), some = chosen("--kernel work --time chosen --launch-count 1");
  ASSERT_EQ(some.kernels.size(), 1u);
  EXPECT_NE(some.kernels[0]["metrics"], all.kernels[0]["metrics"]);
  EXPECT_THAT(some.outcome.err, HasSubstr("5 launches were executed without timing (--time chosen); the others do not "
                                          "find in the caches what these would have left"));
}

TEST(ExecChosen, LaunchesAreCountedAmongThoseThatMatch) {
  const Chosen all = chosen("--caches cold --kernel work");
  const Chosen second = chosen("--caches cold --kernel work --launch-skip 1 --launch-count 1 --time chosen");
  ASSERT_EQ(second.kernels.size(), 1u);
  EXPECT_EQ(second.kernels[0]["metrics"], all.kernels[1]["metrics"]);
  const Chosen none = chosen("--kernel rest --time chosen");
  EXPECT_EQ(none.kernels.size(), 0u);
  EXPECT_THAT(none.outcome.err, HasSubstr("6 launches were executed without timing (--time chosen): --kernel, "
                                          "--launch-skip and --launch-count choose none"));
}

TEST(ExecChosen, WrongUse) {
  EXPECT_EQ(exec("--config v100 --functional --time chosen", "two_kernels").status, 2);
  const Outcome pattern = exec("--config v100 --time chosen --kernel '('", "two_kernels");
  EXPECT_EQ(pattern.status, 2);
  EXPECT_EQ(pattern.out, "") << "the program has not begun";
}

TEST(ExecTimeline, ShowsTheLaunchesThatAreReported) {
  TestFolder folder;
  const std::string timeline = folder / "timeline.json", log = folder / "pipeline.log", wave = folder / "wave.vcd";
  const Chosen plain = chosen("--caches cold --kernel work"),
               shown =
                   chosen("--caches cold --kernel work --timeline " + timeline + " --konata " + log + " --vcd " + wave);
  EXPECT_EQ(shown.kernels, plain.kernels) << "the results are those of the program's own run";
  std::uint64_t cycles = 0;
  for (const Json& kernel : plain.kernels) cycles += kernel["metrics"]["gpc__cycles_elapsed.max"].get<std::uint64_t>();
  EXPECT_THAT(shown.outcome.err, HasSubstr("the timeline shows 3 launches, replayed one after the other in " +
                                           std::to_string(cycles) + " cycles\n"))
      << "with cold caches a replay takes the same time";
  std::ifstream in(timeline);
  const Json events = Json::parse(in)["traceEvents"];
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const Json& event) {
                            return event["ph"] == "X" &&
                                   event["name"].get<std::string>().find("work") != std::string::npos;
                          }),
            3);
  EXPECT_GT(std::filesystem::file_size(log), 0u);
  EXPECT_GT(std::filesystem::file_size(wave), 0u);
}

TEST(ExecTimeline, WrongUse) {
  TestFolder folder;
  EXPECT_EQ(exec("--config v100 --functional --timeline " + (folder / "t.json"), "two_kernels").status, 2);
  EXPECT_EQ(exec("--config v100 --window 1:2", "two_kernels").status, 2);
  const Outcome sm = exec("--config v100 -o sm.count=4 --sms 4 --timeline " + (folder / "t.json"), "two_kernels");
  EXPECT_EQ(sm.status, 2);
  EXPECT_EQ(sm.out, "") << "the program has not begun";
}

// What old programs do and a GPU lets pass: accesses beside an allocation, functions that CUDA has replaced.

using testing::ContainsRegex;
using testing::HasSubstr;

const std::string kFunctionally = "--functional --config v100 ";

TEST(Exec, AnAccessBesideAnAllocationGoesOnAndIsToldOnceForAKernel) {
  const Outcome outcome = exec("--config v100 -o sm.count=1 --lines 0", "beside");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("read 1\nwrote\n"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
  EXPECT_THAT(outcome.err, ContainsRegex("kernel _Z5abovePKfPf: 64 accesses beside an allocation[^\n]*the first: PC "
                                         "0x[0-9a-f]+ \\('LDG[^']*'\\), block \\(0,0,0\\), thread \\(0,0,0\\), address "
                                         "0x1ffffffff00, 256 bytes before the allocation \\[0x20000000000, "));
  EXPECT_THAT(outcome.err,
              ContainsRegex("kernel _Z6behindPf: 64 accesses beside an allocation[^\n]*'STG[^\n]*, 0 bytes "
                            "behind the allocation [^\n]*--strict-memory"));
  EXPECT_THAT(outcome.out, HasSubstr("note: 64 accesses beside an allocation, the first: PC ")) << "in each report";
}

TEST(Exec, StrictMemoryEndsAtAnAccessBesideAnAllocation) {
  const Outcome outcome = exec(kFunctionally + "--strict-memory", "beside");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("an illegal memory access"));
  EXPECT_THAT(outcome.err, HasSubstr("illegal address: kernel _Z5abovePKfPf"));
}

TEST(Exec, OldFunctionsOfTheRuntimeAreThere) {
  const Outcome outcome = exec(kFunctionally, "deprecated");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "stack 4096, unknown limit 215\ncache 0, number kept\nreference found, none 18\narray 1 2 3 4\ndone\n");
  EXPECT_EQ(outcome.err, "");
}

/// The kernels of `long_grid` on a small GPU, sampled.
nlohmann::json sampled_kernels(const std::string& options) {
  const TestFolder folder;
  const std::string out = folder / "out.json";
  const Outcome outcome = exec(
      "--config v100 -o sm.count=2 -o memory.l2.size=256KiB --sample 5% --report none --json " + out + " " + options,
      "long_grid");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("0 wrong"));
  std::ifstream file(out);
  return nlohmann::json::parse(file).at("kernels");
}

// With --save-traces all blocks are recorded, and then timed from the record.
TEST(ExecSample, BlocksThatAreRecordedWhenTheyAreTimedGiveTheResultsOfARecordOfAll) {
  const TestFolder traces;
  const nlohmann::json recorded = sampled_kernels("--save-traces " + (traces / "traces"));
  for (const char* threads : {"1", "3"}) {
    const nlohmann::json later = sampled_kernels(std::string("--threads ") + threads);
    ASSERT_EQ(later.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(recorded[i]["sampled"].contains("blocks")) << recorded[i]["sampled"];
      EXPECT_LT(recorded[i]["sampled"]["blocks"], 4500);
      EXPECT_EQ(later[i]["sampled"], recorded[i]["sampled"]);
      EXPECT_EQ(later[i]["metrics"], recorded[i]["metrics"]);
      EXPECT_EQ(later[i]["lines"], recorded[i]["lines"]);
      EXPECT_NE(recorded[i]["trace_hash"], "");
      EXPECT_EQ(later[i]["trace_hash"], "") << "no trace of all blocks was made";
    }
  }
}

TEST(ExecSample, ALiveKernelIsSimulatedWhole) {
  const Outcome outcome = exec("--config v100 -o sm.count=1 --sample 5%", "misbehave clock");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not sampled, simulated whole: its warps are executed while they are timed"));
}

/// The launches of `two_kernels`, 40 of each kernel, and what the command said.
Chosen many_launches(const std::string& options) {
  TestFolder folder;
  const std::string json = folder / "result.json";
  Chosen result{exec("--config v100 -o sm.count=2 --report none --json " + json + " " + options, "two_kernels 40"), {}};
  EXPECT_EQ(result.outcome.status, 0) << result.outcome.err;
  std::ifstream in(json);
  result.kernels = Json::parse(in)["kernels"];
  return result;
}

double cycles_of(const Json& kernels) {
  double sum = 0;
  for (const Json& kernel : kernels) sum += kernel["metrics"]["gpc__cycles_elapsed.max"].get<double>();
  return sum;
}

TEST(ExecSampleLaunches, TheCyclesOfAllLaunchesLieInTheIntervalThatItStates) {
  const Chosen whole = many_launches(""), sampled = many_launches("--sample-launches 2%");
  EXPECT_EQ(sampled.outcome.out, whole.outcome.out) << "every launch is executed";
  ASSERT_EQ(sampled.kernels.size(), 80u);
  const auto left_out = std::count_if(sampled.kernels.begin(), sampled.kernels.end(),
                                      [](const Json& kernel) { return kernel.contains("stratum"); });
  EXPECT_GT(left_out, 40);
  EXPECT_THAT(sampled.outcome.err, HasSubstr(std::to_string(left_out) + " of 80 launches were not timed, and count as "
                                                                        "launches like them (--sample-launches); "));
  const double interval = number_after(sampled.outcome.err, "interval of +-");
  EXPECT_LE(interval, 2);
  EXPECT_NEAR(cycles_of(sampled.kernels), cycles_of(whole.kernels), cycles_of(whole.kernels) * (interval + 0.005) / 100)
      << "it is shown with two digits";
  for (std::size_t i = 0; i < 80; ++i) {
    EXPECT_EQ(sampled.kernels[i]["name"], whole.kernels[i]["name"]);
    EXPECT_EQ(sampled.kernels[i]["warp_instructions"], whole.kernels[i]["warp_instructions"]);
  }
}

TEST(ExecJson, ALaunchOfAKernelThatRanBeforeTakesFourKilobytesAtMost) {
  TestFolder folder;
  const auto bytes = [&](const std::string& rounds) {
    const std::string json = folder / (rounds + ".json");
    EXPECT_EQ(
        exec("--config v100 -o sm.count=2 --report none --compact-json --json " + json, "two_kernels " + rounds).status,
        0);
    return std::filesystem::file_size(json);
  };
  EXPECT_LE((bytes("13") - bytes("3")) / 20, 4096u);
}

TEST(ExecSampleLaunches, AKernelThatIsTimedLiveIsTimedEachTime) {
  const Outcome outcome = exec("--config v100 -o sm.count=1 --sample-launches 5%", "misbehave clock");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("not timed")));
}

TEST(ExecSampleLaunches, NeedsAPercentageAndTimes) {
  EXPECT_THAT(exec("--config v100 --sample-launches 3", "two_kernels").err,
              HasSubstr("--sample-launches: '3' is no interval; give a percentage between 0% and 100%, as 2%"));
  EXPECT_THAT(exec("--config v100 --sample-launches 0.1%", "two_kernels").err, HasSubstr("give 0.2% or more"));
  for (const char* other : {"--functional", "--sample 5%", "--time chosen", "--timeline t.json"})
    EXPECT_THAT(exec(std::string("--config v100 --sample-launches 3% ") + other, "two_kernels").err,
                HasSubstr("excludes --sample-launches"))
        << other;
}

}  // namespace
}  // namespace sassim
