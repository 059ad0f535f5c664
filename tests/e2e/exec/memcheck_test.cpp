// SPDX-License-Identifier: Apache-2.0
// sassim exec --memcheck: each planted error is found at its line of CUDA code, and nothing else is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/e2e/exec/exec.h"

namespace sassim {
namespace {

using testing::HasSubstr;

struct Planted {
  std::string kind, kernel;
  int line = 0, with = 0;  ///< with: the line of the other access; 0: none
};

std::map<int, Planted> planted_errors() {
  std::ifstream file(SASSIM_SOURCE_DIR "/tests/e2e/exec/programs/memcheck.cu");
  std::map<int, Planted> all;
  const std::regex error("// ERROR ([0-9]+) (.*)$"), with("// WITH ([0-9]+)$"),
      function("^__global__ void ([a-z_]+)\\(");
  std::string text, kernel;
  for (int line = 1; std::getline(file, text); ++line) {
    std::smatch match;
    if (std::regex_search(text, match, function)) kernel = match[1];
    if (line > 10 && std::regex_search(text, match, error)) {
      Planted& one = all[std::stoi(match[1])];
      one.kind = match[2], one.kernel = kernel, one.line = line;
    } else if (line > 10 && std::regex_search(text, match, with)) {
      all[std::stoi(match[1])].with = line;
    }
  }
  return all;
}

std::vector<std::string> findings(const std::string& text) {
  std::vector<std::string> all;
  const std::regex finding("[^\n]*(uninitialised read|use after free|race in shared memory): kernel [^\n]*");
  for (std::sregex_iterator at(text.begin(), text.end(), finding), end; at != end; ++at) all.push_back(at->str());
  return all;
}

bool names(const std::string& text, int line) {
  const std::regex place("memcheck\\.cu:" + std::to_string(line) + "[^0-9]");
  return line == 0 || std::regex_search(text, place);
}

constexpr int kFirstFault = 26;
constexpr std::size_t kFindings = 40;
const char* const kConfigs[] = {"v100", "h200"};

// compute-sanitizer tells the same of these two instructions on an H200: with the headers of CUDA 11.8, a thread copies
// to a stage that others still read.
TEST(Memcheck, TellsTheRaceInAPipelineOfABlock) {
  const std::vector<std::string> all = findings(exec("--memcheck --report none --config h200", "pipeline").err);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0], HasSubstr("race in shared memory: kernel _Z9with_pipePKiPii"));
  EXPECT_THAT(all[0], HasSubstr("'LDGSTS.E "));
  EXPECT_THAT(all[0], HasSubstr("'LDS "));
}

TEST(Memcheck, FindsEachPlantedErrorAtItsLine) {
  for (const char* config : kConfigs) {
    const Outcome outcome = exec(std::string("--memcheck --config ") + config, "memcheck all");
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("cudaSuccess\n"));
    const std::vector<std::string> found = findings(outcome.err);
    for (const auto& [number, planted] : planted_errors()) {
      if (number >= kFirstFault) continue;
      const auto is_this = [&error = planted](const std::string& text) {
        return text.find(error.kind + ": kernel _Z") != std::string::npos &&
               text.find(error.kernel) != std::string::npos && names(text, error.line) && names(text, error.with);
      };
      EXPECT_THAT(found, testing::Contains(testing::Truly(is_this))) << "error " << number << " on " << config;
    }
    // A race is told at each of its instructions that came second somewhere, a loop has three copies of it, and where
    // the missing barrier lets a warp read too early, the word is unwritten too.
    EXPECT_EQ(found.size(), kFindings) << outcome.err;
  }
}

TEST(Memcheck, FindsNothingWithoutErrors) {
  for (const char* config : kConfigs) {
    const Outcome outcome = exec(std::string("--memcheck --config ") + config, "memcheck clean");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(findings(outcome.err), testing::IsEmpty());
  }
}

TEST(Memcheck, AFaultNamesItsLine) {
  ASSERT_EQ(planted_errors().size(), 30u);
  for (const auto& [number, planted] : planted_errors()) {
    if (number < kFirstFault) continue;
    const Outcome outcome = exec("--memcheck --config v100", "memcheck " + std::to_string(number));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr(planted.kind + ": kernel")) << number;
    EXPECT_TRUE(names(outcome.err, planted.line)) << number << ": " << outcome.err;
  }
}

TEST(Memcheck, WithoutItUseAfterFreeIsNotReported) {
  const Outcome outcome = exec("--functional --config v100", "memcheck all");
  EXPECT_THAT(findings(outcome.err), testing::IsEmpty());
}

}  // namespace
}  // namespace sassim
