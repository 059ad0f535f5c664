// SPDX-License-Identifier: Apache-2.0
// Output that nobody gets is never status 0, and what a program reads is plain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kTrace = SASSIM_BINARY_DIR "/traces/sm_75/add_sums.sast";
const std::string kRun = "run " + kTrace + " --config t4";

/// Commands of each kind: long and short output, by each of the ways to print.
const std::vector<std::string> kCommands = {kRun,
                                            "trace dump " + kTrace,
                                            "trace info " + kTrace,
                                            "config list",
                                            "config show t4",
                                            "config explain --all",
                                            "--version",
                                            "--help",
                                            "run --help",
                                            "model --help",
                                            "trace lint " + kTrace};

TEST(Streams, AFullOutputIsAnError) {
  for (const std::string& command : kCommands) {
    const Outcome outcome = sassim_run(command + " > /dev/full");
    EXPECT_EQ(outcome.status, 3) << command;
    EXPECT_EQ(outcome.err, "sassim: standard output cannot be written: No space left on device\n") << command;
  }
}

TEST(Streams, AClosedOutputIsAnError) {
  for (const std::string& command : kCommands) {
    const Outcome outcome = sassim_run(command + " >&-");
    EXPECT_EQ(outcome.status, 3) << command;
    EXPECT_EQ(outcome.err, "sassim: standard output cannot be written: Bad file descriptor\n") << command;
  }
}

// The first file that is opened would become standard output, and get what is printed.
TEST(Streams, AResultFileIsNotTakenForAClosedOutput) {
  const TestFolder folder;
  for (const char* closed : {">&-", "<&- >&-", "<&- >&- 2>&-"}) {
    EXPECT_EQ(sassim_run(kRun + " --json " + folder / "a.json" + " " + closed).status, 3);
    std::ifstream file(folder / "a.json");
    const auto json = nlohmann::json::parse(file, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << closed;
  }
}

// A shell leaves SIGPIPE as it is, and the signal ends the command; programs that ignore it pass that on.
TEST(Streams, AReaderThatLeavesIsNoInternalError) {
  const std::string dump = "trace dump " + kTrace + " --limit 100000";
  const Outcome ignored =
      run_command("trap '' PIPE; { " SASSIM_BINARY_DIR "/sassim " + dump + "; echo $? >&2; } | head -1");
  EXPECT_EQ(ignored.err, "sassim: standard output cannot be written: the program that read it has ended\n3\n");
  const Outcome usual = run_command("{ " SASSIM_BINARY_DIR "/sassim " + dump + "; echo $? >&2; } | head -1");
  EXPECT_EQ(usual.err, "141\n") << "128 and SIGPIPE, as of any program";
}

TEST(Streams, AFullErrorOutputIsNoCrash) {
  EXPECT_EQ(sassim_run("frobnicate 2> /dev/full").status, 2);
  EXPECT_EQ(sassim_run(kRun + " > /dev/full 2> /dev/full").status, 3);
  EXPECT_EQ(sassim_run("config check t4 /nowhere 2> /dev/full").status, 3);
}

TEST(Streams, NumbersAreOneWordForPrograms) {
  const Outcome outcome = sassim_run(kRun + " --metrics");
  EXPECT_THAT(outcome.out, ContainsRegex(" 5[0-9]{3} cycles\n"));
  EXPECT_THAT(outcome.out, Not(ContainsRegex("5 [0-9]{3} cycle")));
  EXPECT_TRUE(std::all_of(outcome.out.begin(), outcome.out.end(), [](char c) {
    return c == '\n' || (c >= ' ' && c <= '~');
  })) << "no thin spaces";
  const Outcome terminal = run_command("script -qec '" SASSIM_BINARY_DIR "/sassim " + kRun + "' /dev/null < /dev/null");
  EXPECT_THAT(terminal.out, ContainsRegex(" 5 [0-9]{3} cycle"));
}

}  // namespace
}  // namespace sassim
