// SPDX-License-Identifier: Apache-2.0
// What the command says to words that it does not know and to numbers that cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tests/support/program.h"

namespace sassim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBundledTrace = SASSIM_BINARY_DIR "/traces/sm_75/add_sums.sast";  // 64 blocks of 16 warps

void expect_usage_error(const std::string& arguments, const std::string& message) {
  const Outcome outcome = sassim_run(arguments);
  EXPECT_EQ(outcome.status, 2) << arguments << "\n" << outcome.err;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
}

TEST(Usage, AnUnknownOptionIsToldItsNeighbour) {
  expect_usage_error("run " + kBundledTrace + " --confg t4", "unknown option '--confg' (did you mean '--config'?)");
  expect_usage_error("run " + kBundledTrace + " --confg=t4", "unknown option '--confg' (did you mean '--config'?)");
  expect_usage_error("run " + kBundledTrace + " --config t4 --thread 2", "'--thread' (did you mean '--threads'?)");
  expect_usage_error("run " + kBundledTrace + " --config t4 --no-progress 2", "(did you mean '--no-progress-cycles'?)");
  expect_usage_error("trace dump " + kBundledTrace + " --limt 3",
                     "(did you mean '--limit'?) (see 'sassim trace dump --help')");
  expect_usage_error("exec --confg t4 -- ls", "'--confg' (did you mean '--config'?)");
  expect_usage_error("explore x --cofig t4", "'--cofig' (did you mean '--config'?)");
  expect_usage_error("config show t4 --frobnicate", "unknown option '--frobnicate' (see 'sassim config show --help')");
  expect_usage_error("--config t4 run " + kBundledTrace, "it belongs behind a command: sassim run --config");
}

TEST(Usage, AnEmptyNameADashOrAnEmptyStepIsNoValue) {
  const std::string run = "run " + kBundledTrace + " --config t4 ";
  for (const char* option : {"--html", "--json", "--csv", "--csv-ncu", "--csv-source", "--host-json", "--timeline"}) {
    expect_usage_error(run + option + " ''", std::string(option) + ": an empty file name; name a file");
    expect_usage_error(run + option + " -", std::string(option) + ": '-' is no file name; write /dev/stdout");
  }
  expect_usage_error(run + "--timeline /dev/null --interval 0", "--interval: 0 is too small; the smallest is 1");
  expect_usage_error(run + "--timeline /dev/null --timeline-spans 00", "--timeline-spans: 0 is too small");
}

/// Commands and the words that --help lists for them; "" is the program itself.
std::vector<std::string> words_of(const std::string& command, const std::string& pattern) {
  const std::string help = sassim_run(command + " --help").out;
  std::vector<std::string> words;
  const std::regex line(pattern, std::regex::ECMAScript | std::regex::multiline);
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at) words.push_back((*at)[1]);
  return words;
}

void expect_flags_without_values(const std::string& command, std::size_t& flags) {
  for (const std::string& below : words_of(command, "^  ([a-z]+)  +[a-z]"))
    expect_flags_without_values(command + " " + below, flags);
  for (const std::string& flag : words_of(command, "^ +(?:-[a-z],)?(--[a-z-]+)(?:  +[^ A-Z:]|$)"))
    for (const char* value : {"=5", "=true", "=", "=false"}) {
      expect_usage_error(command + " " + flag + value, flag + value + ": this option has no value; write " + flag);
      ++flags;
    }
}

TEST(Usage, AFlagHasNoValue) {
  std::size_t flags = 0;
  expect_flags_without_values("", flags);
  EXPECT_GT(flags, 4u * 20) << "every command has --help";
  for (const char* flag : {"--serial", "--functional", "--allow-faults", "--strict-memory", "--metrics", "--mangled"})
    expect_usage_error(std::string("exec --config t4 ") + flag + "=5 -- ls",
                       std::string(flag) + "=5: this option has no");
  EXPECT_EQ(sassim_run("exec --config t4 --allow-none -- true --serial=5").status, 0) << "the program's own";
}

TEST(Usage, AChoiceOfNoTargetShowsWhatNamesAreLike) {
  const Outcome outcome = sassim_run("validate --config t4 --prepared --only nomatch");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no target for 't4' has 'nomatch' in its name (--only); names are such as t4."));
}

TEST(Usage, AnUnknownCommandIsToldItsNeighbour) {
  expect_usage_error("rum", "unknown command 'sassim rum' (did you mean 'run'?)");
  expect_usage_error("trace lnit", "unknown command 'sassim trace lnit' (did you mean 'lint'?)");
}

TEST(Usage, WhatStudiesStartThemselvesIsNotOffered) {
  for (const char* arguments : {"poin", "point5", "poinst", "frobnicate", "--help", ""}) {
    const Outcome outcome = sassim_run(arguments);
    EXPECT_THAT(outcome.err + outcome.out, Not(HasSubstr("'point'"))) << arguments;
    EXPECT_THAT(outcome.err + outcome.out, Not(HasSubstr("points"))) << arguments;
    EXPECT_THAT(outcome.err + outcome.out, Not(HasSubstr(", point"))) << arguments;
  }
}

TEST(Usage, CountsAreWholeNumbers) {
  const std::string run = "run " + kBundledTrace + " --config t4 ", dump = "trace dump " + kBundledTrace + " ";
  for (const char* wrong : {"-3", "3.5", "0x10", "three", "''", "99999999999999999999"}) {
    expect_usage_error(run + "--lines " + wrong, "--lines: ");
    expect_usage_error(run + "--threads " + wrong, "--threads: ");
    expect_usage_error(run + "--max-cycles " + wrong, "--max-cycles: ");
    expect_usage_error(dump + "--limit " + wrong, "--limit: ");
    expect_usage_error(dump + "--warp " + wrong, "--warp: ");
    expect_usage_error("trace lint " + kBundledTrace + " --blocks " + wrong, "--blocks: ");
  }
  expect_usage_error(run + "--threads 100000", "--threads: ");
  expect_usage_error(run + "--threads -1", "--threads: ");
  EXPECT_EQ(sassim_run("model all --config t4 --transactions 1.5").status, 0) << "an average";
  EXPECT_THAT(sassim_run(dump + "--limit 010").out, HasSubstr("--limit 10 reached")) << "decimal, as everywhere";
}

TEST(Usage, ASampleIsAPercentage) {
  const std::string run = "run " + kBundledTrace + " --config t4 --sample ";
  for (const char* wrong : {"2", "0%", "100%", "-1%", "2%%", "x%", "''"})
    expect_usage_error(run + wrong, std::string("--sample: '") + (wrong == std::string("''") ? "" : wrong) +
                                        "' is no share of thread blocks");
  expect_usage_error(run + "2% --timeline /dev/null", "--timeline excludes --sample");
  EXPECT_THAT(sassim_run(run + "2%").out, HasSubstr("not sampled, simulated whole: it has 64 thread blocks"));
}

TEST(Usage, BlocksAndWarpsThatDoNotExistAreNoEmptyResult) {
  expect_usage_error("trace dump " + kBundledTrace + " --block 64",
                     "--block 64: there is no block 64; the grid has 64, counted from 0");
  expect_usage_error("trace dump " + kBundledTrace + " --block 0..99", "there is no block 99");
  expect_usage_error("trace dump " + kBundledTrace + " --block -1", "'-1' is not a list of numbers");
  expect_usage_error("trace dump " + kBundledTrace + " --warp 16", "a block has 16 warps");
  expect_usage_error("trace slice " + kBundledTrace + " /dev/null --blocks 64", "there is no block 64");
  EXPECT_THAT(sassim_run("trace dump " + kBundledTrace + " --block 63 --warp 15").out,
              HasSubstr("block 63 (63,0,0) warp 15"));
}

TEST(Usage, ALongArgumentIsNotRepeatedWhole) {
  const Outcome outcome = sassim_run("run " + kBundledTrace + " --config t4 -o l1.size=$(printf '(%.0s' $(seq 50000))");
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_LT(outcome.err.size(), 1100u);
  EXPECT_THAT(outcome.err, HasSubstr("(((...((("));
}

TEST(Usage, WhatATerminalObeysIsNotPrintedBack) {
  const Outcome outcome = sassim_run("config show \"$(printf 't4\\033[2J')\"");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("t4\\x1b[2J"));
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sassim
