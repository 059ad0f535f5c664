// SPDX-License-Identifier: Apache-2.0
// `run --jobs`: whatever it writes is what one process writes, also when a launch fails; what cannot be is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;

const std::string kVolta = SASSIM_BINARY_DIR "/traces/sm_70/";

/// Some of them equal, the first one the longest.
std::string traces(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names)
    all += " " + (name.find('/') == std::string::npos ? kVolta + name + ".sast" : name);
  return all;
}
const std::string kSeveral = traces({"transpose_naive", "saxpy", "reduce", "saxpy", "stencil5", "reduce", "gather"});

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Everything that a run writes, by name.
std::map<std::string, std::string> written(const std::string& arguments, unsigned jobs, int status = 0) {
  const TestFolder folder;
  std::string command = "run --config v100 -o sm.count=8" + arguments + " --jobs " + std::to_string(jobs);
  const std::vector<std::string> options = {"json", "csv", "csv-ncu", "csv-source", "html", "wait-graph"};
  for (const std::string& option : options) command += " --" + option + " " + (folder / option);
  const Outcome outcome = sassim_run(command);
  EXPECT_EQ(outcome.status, status) << outcome.err;
  std::map<std::string, std::string> all = {{"out", outcome.out}, {"err", outcome.err}};
  for (const std::string& option : options) all[option] = bytes_of(folder / option);
  return all;
}

std::map<std::string, std::string> expect_same(const std::string& arguments, int status = 0) {
  auto one = written(arguments, 1, status);
  for (const unsigned jobs : {2u, 3u})
    for (const auto& [name, text] : written(arguments, jobs, status))
      EXPECT_TRUE(text == one[name]) << name << " of" << arguments << " --jobs " << jobs << "\n"
                                     << text.substr(0, 2000) << "\ninstead of\n"
                                     << one[name].substr(0, 2000);
  return one;
}

TEST(Jobs, EverythingWrittenIsThatOfOneProcess) {
  const auto plain = expect_same(kSeveral);
  EXPECT_THAT(plain.at("err"), HasSubstr("2 launches were not simulated again"));
  EXPECT_THAT(plain.at("out"), HasSubstr("7 launches: "));
  EXPECT_THAT(plain.at("json"), HasSubstr("\"complete\": true"));
  EXPECT_FALSE(plain.at("html").empty());
  expect_same(kSeveral + " --compact-json --no-skip --threads 2");
  expect_same(kSeveral + " --page details --metrics --mangled --kernel 's' --launch-skip 1");
  expect_same(kSeveral + " --sample 10%");
}

TEST(Jobs, AnErrorIsThatOfOneProcessAndLeavesTheSame) {
  const std::string other = SASSIM_BINARY_DIR "/traces/sm_75/gather.sast";
  const auto mismatch = expect_same(traces({"transpose_naive", "saxpy", other, "reduce", other}), 3);
  EXPECT_THAT(mismatch.at("err"), HasSubstr("was compiled for sm_75"));
  EXPECT_THAT(mismatch.at("out"), HasSubstr("partial: the run was stopped after 2 launches"));
  EXPECT_THAT(mismatch.at("json"), HasSubstr("\"complete\": false"));
  // The running launch had come to the same cycle.
  const auto limit = expect_same(traces({"saxpy", "transpose_naive", "reduce", "saxpy"}) + " --max-cycles 9000", 5);
  EXPECT_THAT(limit.at("err"), HasSubstr("the kernel has not ended after 9000 cycles"));
  EXPECT_THAT(limit.at("json"), HasSubstr("\"running\": {"));
  const auto stuck = expect_same(traces({"saxpy", "reduce", "gather"}) + " --no-progress-cycles 300", 5);
  EXPECT_THAT(stuck.at("err"), HasSubstr("no progress at cycle"));
  EXPECT_THAT(stuck.at("wait-graph"), HasSubstr("digraph"));
}

TEST(Jobs, ADamagedTraceIsFoundInItsPlace) {
  const TestFolder folder;
  std::string bytes = bytes_of(kVolta + "stencil5.sast");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x5a);
  std::ofstream(folder / "damaged.sast", std::ios::binary) << bytes;
  const auto damaged = expect_same(traces({"reduce", "saxpy", folder / "damaged.sast", "gather"}), 3);
  EXPECT_THAT(damaged.at("err"), HasSubstr("damaged.sast"));
}

TEST(Jobs, WhatNeedsOneLaunchAfterTheOtherIsRefused) {
  const std::string run = "run --config v100" + traces({"saxpy", "reduce"}) + " --jobs 2 ";
  const auto expect_refused = [&](const std::string& more, const std::string& message) {
    const Outcome outcome = sassim_run(run + more);
    EXPECT_EQ(outcome.status, 2) << more;
    EXPECT_EQ(outcome.out, "") << more;
    EXPECT_EQ(outcome.err.find('\n') + 1, outcome.err.size()) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  for (const std::string caches : {"keep", "warm"})
    expect_refused("--caches " + caches,
                   "--jobs with --caches " + caches + ": a launch finds what the one before left");
  for (const char* option : {"--timeline /tmp/t", "--konata /tmp/k", "--vcd /tmp/v.vcd", "--resume /tmp/c"})
    expect_refused(option,
                   "--jobs with " + std::string(option).substr(0, std::string(option).find(' ')) + ": its files");
  expect_refused("--checkpoint-every 100", "--jobs with --checkpoint-every: its files");
  EXPECT_EQ(sassim_run(run + "--jobs 0").status, 2);
  EXPECT_EQ(sassim_run("run --config v100" + traces({"saxpy"}) + " --jobs 1 --caches keep --report none").status, 0);
}

}  // namespace
}  // namespace sassim
