// SPDX-License-Identifier: Apache-2.0
// Does the emulator execute as many warp instructions as an H200? Applications with divergent warps, which also check
// their results; the counts are those of the Nsight Compute exports in validation/hardware/ncu.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      result.emplace_back();
    else if (c != ',')  // in numbers
      result.back() += c;
  }
  return result;
}

/// smsp__inst_executed.sum, of all launches.
std::uint64_t measured(const std::string& profile) {
  std::ifstream file(SASSIM_SOURCE_DIR "/validation/hardware/ncu/" + profile);
  std::string names, units;
  std::getline(file, names);
  std::getline(file, units);
  const std::vector<std::string> columns = fields(names);
  const auto column =
      static_cast<std::size_t>(std::find(columns.begin(), columns.end(), "smsp__inst_executed.sum") - columns.begin());
  std::uint64_t sum = 0;
  for (std::string line; std::getline(file, line);) sum += std::stoull(fields(line).at(column));
  return sum;
}

/// What `sassim trace info` says of the traces in `folder`.
std::uint64_t executed(const std::filesystem::path& folder) {
  std::uint64_t sum = 0;
  for (const auto& trace : std::filesystem::directory_iterator(folder)) {
    const std::string text = sassim_run("trace info " + trace.path().string()).out;
    const std::size_t at = text.find("warp instructions ");
    if (at == std::string::npos) ADD_FAILURE() << text;
    sum += at == std::string::npos ? 0 : std::stoull(text.substr(at + 18));
  }
  return sum;
}

struct Application {
  const char* name;
  const char* profile;
};

class InstructionCount : public testing::TestWithParam<Application> {};

TEST_P(InstructionCount, IsThatOfTheH200) {
  const TestFolder folder;
  const auto traces = folder.path() / "traces";
  const Outcome outcome =
      exec("--functional --config h200 --save-traces " + traces.string(), std::string(GetParam().name) + " size=small");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(executed(traces), measured(GetParam().profile));
}

INSTANTIATE_TEST_SUITE_P(Applications, InstructionCount,
                         testing::Values(Application{"string_match", "h200/string_match.small.csv"},
                                         Application{"jacobi", "h200/jacobi.small.csv"},
                                         Application{"fft", "h200/fft.small.csv"},
                                         Application{"alignment", "h200-held-out/alignment.small.csv"}),
                         [](const auto& test) { return std::string(test.param.name); });

// Its warps add to shared memory in compare-and-swap loops: how often those go round depends on time, and two runs of
// the GPU differ by 6 to 10 %.
TEST(InstructionCountUnderContention, IsNearThatOfTheH200) {
  const TestFolder folder;
  const auto traces = folder.path() / "traces";
  const Outcome outcome = exec("--functional --config h200 --save-traces " + traces.string(), "kmeans size=small");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const auto hardware = static_cast<double>(measured("h200-held-out/kmeans.small.csv"));
  EXPECT_NEAR(static_cast<double>(executed(traces)), hardware, 0.1 * hardware);
}

}  // namespace
}  // namespace sassim
