// SPDX-License-Identifier: Apache-2.0
#include "sim/session/session_results.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/replay/progress.h"
#include "sim/session/trace_folder.h"
#include "tests/support/test_folder.h"

namespace sassim::session {
namespace {

constexpr const char* kKernel =
    R"({"kernel":{"name":"k","grid":[1,1,1],"block":[1,1,1],"metrics":{"gpc__cycles_elapsed.max":250}}})";
constexpr const char* kBegin = R"({"begin":"_Z4workPf"})";
constexpr const char* kEnd = R"({"end":true})";

class Session : public testing::Test {
 protected:
  void log(const char* process, const std::vector<std::string>& lines) const {
    std::ofstream out(folder_.path() / (std::string("process-") + process + ".jsonl"));
    for (const std::string& line : lines) out << line << "\n";
  }
  void progress(const char* process, const replay::WorkDone& work) const {
    std::ofstream(folder_.path() / (std::string("progress-") + process)) << replay::work_line(work);
  }
  static replay::WorkDone timed() {
    replay::WorkDone work;
    work.kernel = "_Z4workPf";
    work.number = 3;
    work.warp_instructions = 64;
    work.all_warp_instructions = 128;
    work.cycles = 700;
    work.blocks_ended = 2;
    work.blocks = 9;
    work.seconds = 1;
    return work;
  }
  SessionSummary read() const {
    return read_session(folder_.path(), [](const report::KernelReport&) {});
  }

  TestFolder folder_;
};

TEST_F(Session, CountsLaunchesAndCyclesBetweenKernels) {
  EXPECT_EQ(session_progress(folder_.path(), false),
            "no CUDA call has come yet\n  so far: 0 launches are done, of 0 cycles together\n");
  log("1", {kBegin, kKernel, kEnd, kBegin, kKernel, kEnd});
  EXPECT_EQ(session_progress(folder_.path(), false),
            "no kernel is running\n  so far: 2 launches are done, of 500 cycles together\n");
  log("1", {kBegin, kKernel, kEnd, kBegin, "{\"ker"});
  EXPECT_EQ(session_progress(folder_.path(), false),
            "kernel 2, work\n  it began a moment ago\n  so far: 1 launch is done, of 250 cycles together\n");
}

TEST_F(Session, ASnapshotNamesWhatEachProcessSimulates) {
  log("1", {kBegin, kKernel, kEnd, kBegin, kBegin});
  log("1.1", {kBegin});
  log("2", {kBegin, kKernel, kEnd});
  progress("1", timed());
  EXPECT_EQ(session_progress(folder_.path(), true),
            "process 1: kernel 3, _Z4workPf\n  50.0 % of 128 warp instructions in 1 s, 64 per second, 1 s left\n"
            "  this kernel: 700 cycles, 2 of 9 thread blocks have ended\n  2 launches have begun and are not done\n"
            "process 1.1: kernel 1, _Z4workPf\n  it began a moment ago\n"
            "  so far: 2 launches are done, of 500 cycles together\n");
}

TEST_F(Session, ALaunchWithoutAnEndIsUnfinishedThoughAnOlderOneEnded) {
  log("1", {kBegin, kBegin, kBegin, kKernel, kEnd});
  log("1.1", {kBegin, kKernel, kEnd});
  const SessionSummary summary = read();
  ASSERT_EQ(summary.unfinished.size(), 1u);
  EXPECT_EQ(summary.unfinished[0].text(false),
            "kernel work and 1 launch behind it were not finished: their process ended first");
  EXPECT_EQ(summary.unfinished[0].kernel.cycles, 0u) << "nothing is known";
}

TEST_F(Session, WhatWasKnownOfALaunchCountsIfItHasNoEnd) {
  const auto known = [](int launch, int cycles) {
    return fmt::format(R"({{"so_far":{},"known":{{"name":"k{}","grid":[1,1,1],"block":[1,1,1],)"
                       R"("metrics":{{"gpc__cycles_elapsed.max":{}}}}},)"
                       R"("company":{{"stream":1,"ordered":false,"waited":false,"beside":true}}}})",
                       launch, launch, cycles);
  };
  log("1", {kBegin, kBegin, kBegin, known(0, 7), known(2, 8), kKernel, kEnd});
  std::vector<std::string> names;
  const SessionSummary summary =
      read_session(folder_.path(), [&](const report::KernelReport& kernel) { names.push_back(kernel.name); });
  EXPECT_EQ(names, (std::vector<std::string>{"k", "k2"})) << "launch 0 has its end";
  ASSERT_EQ(summary.unfinished.size(), 1u);
  EXPECT_EQ(summary.unfinished[0].more, 0u) << "only launch 1 is lost";
}

TEST_F(Session, LinesThatTheLedgerKeptFollowThoseOfTheFile) {
  const auto ledger = SessionLedger::create(folder_.path());
  ASSERT_TRUE(ledger);
  log("1", {kBegin, kKernel, kEnd, kBegin});
  const auto of_process = SessionLedger::open(folder_.path());
  ASSERT_TRUE(of_process);
  for (int i = 0; i < 5; ++i) of_process->launched();
  of_process->keep("1", kKernel);
  of_process->keep("1.1", kBegin);
  of_process->keep("1", kEnd);
  of_process->failed("the reason");
  of_process->failed("another one");
  const SessionSummary summary = read_session(
      folder_.path(), [](const report::KernelReport&) {}, ledger.get());
  EXPECT_EQ(summary.kernels, 2u);
  ASSERT_EQ(summary.unfinished.size(), 1u);
  EXPECT_EQ(summary.unfinished[0].process, "1.1");
  EXPECT_EQ(summary.missing, 2u) << "of five launches three are known";
  EXPECT_EQ(summary.why_missing, "the reason");
}

TEST_F(Session, AnEndWhoseBeginningIsLostIsNoMissingLaunch) {
  const auto ledger = SessionLedger::create(folder_.path());
  ASSERT_TRUE(ledger);
  ledger->launched();
  ledger->keep("1", kKernel);
  ledger->keep("1", kEnd);
  const SessionSummary summary = read_session(
      folder_.path(), [](const report::KernelReport&) {}, ledger.get());
  EXPECT_EQ(summary.kernels, 1u);
  EXPECT_EQ(summary.missing, 0u);
  EXPECT_TRUE(summary.unfinished.empty());
}

TEST_F(Session, TheLedgerRefusesWhatDoesNotFit) {
  const auto ledger = SessionLedger::create(folder_.path());
  ASSERT_TRUE(ledger);
  const std::string line(std::size_t{60} << 20, 'x');
  int kept = 0;
  while (ledger->keep("1", line)) ++kept;
  EXPECT_EQ(kept, 4);
  int seen = 0;
  ledger->for_each_line([&](std::string_view process, std::string_view text) {
    EXPECT_EQ(process, "1");
    EXPECT_EQ(text.size(), line.size());
    ++seen;
  });
  EXPECT_EQ(seen, 4);
  EXPECT_FALSE(ledger->ended());
  ledger->ended(4);
  EXPECT_EQ(ledger->ended(), 4);
}

TEST_F(Session, WhatAStoppedProcessHadDoneIsRead) {
  log("1", {kBegin, kKernel, kEnd});
  log("1.2", {kBegin});
  progress("1.2", timed());
  const SessionSummary summary = read();
  ASSERT_EQ(summary.unfinished.size(), 1u);
  const Unfinished& left = summary.unfinished[0];
  EXPECT_EQ(left.text(true), "kernel _Z4workPf was not finished: its process ended first");
  EXPECT_EQ(left.kernel.process, "1.2");
  EXPECT_EQ(left.kernel.cycles, 700u);
  EXPECT_EQ(left.kernel.blocks_ended, 2u);
  EXPECT_FALSE(left.kernel.recording);
}

namespace fs = std::filesystem;

class TraceFolderTest : public ::testing::Test {
 protected:
  TraceFolderTest() { fs::remove_all(folder); }
  ~TraceFolderTest() override { fs::remove_all(folder); }

  const fs::path folder = fs::path(::testing::TempDir()) / ("sassim-trace-folder-" + std::to_string(getpid()));
};

TEST_F(TraceFolderTest, ARunNextToAnotherGetsASubfolder) {
  const TraceFolder first(folder), second(folder);
  EXPECT_EQ(first.path(), folder);
  EXPECT_EQ(second.path(), folder / "run-2");
}

TEST_F(TraceFolderTest, ASubfolderOfAnotherRunDoesNotTakeTheFolder) {
  fs::create_directories(folder / "run-2");
  EXPECT_EQ(TraceFolder(folder).path(), folder) << "the other run found it locked, and was faster";
}

TEST_F(TraceFolderTest, AFolderWithTracesIsTaken) {
  fs::create_directories(folder);
  std::ofstream(folder / "0000-add.sast") << "a trace";
  EXPECT_EQ(TraceFolder(folder).path(), folder / "run-2");
}

}  // namespace
}  // namespace sassim::session
