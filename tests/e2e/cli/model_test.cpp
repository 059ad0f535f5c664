// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/program.h"

namespace sassim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Model, ListsNamesWithTheirSources) {
  const Outcome outcome = sassim_run("model list");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"volkov ", "volkov-refined", "hong-kim", "cuda-guide", "baghsorkhi", "zhang-owens", "sim ",
                           "huang-rr ", "huang-gto ", "huang-rr-bw", "huang-gto-bw"})
    EXPECT_THAT("\n" + outcome.out, HasSubstr(std::string("\n") + name)) << name;
}

// Volkov, Table 4.2: on Maxwell 32 * 64 * min(8 / (368 + 6 * 64), ...) = 21.79 adds per cycle with 8 warps.
TEST(Model, PrintsATableOfAlphaAndWarps) {
  const Outcome outcome = sassim_run("model volkov --gpu maxwell --alpha 64 --warps 8..64:56 --unit adds");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("a=64"), HasSubstr("\n     8     21.79\n"), HasSubstr("\n    64       126\n")));
}

TEST(Model, WritesEveryPointInAllUnits) {
  const auto path =
      std::filesystem::path(::testing::TempDir()) / ("sassim_model_" + std::to_string(::getpid()) + ".csv");
  const Outcome outcome = sassim_run("model all --gpu fermi --alpha 1,8 --warps 4,8,48 --csv " + path.string());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::ifstream in(path);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 11 * 2 * 3);
  EXPECT_THAT(text, HasSubstr("volkov,fermi,mem,8,48,"));
}

TEST(Model, TakesAConfigurationWithOverrides) {
  const Outcome outcome = sassim_run("model volkov --config v100 -o fp32.latency=9 --needed 1 --alpha inf");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("add 9 cycles, 2 IPC"));
  EXPECT_THAT(outcome.out, HasSubstr(" 18\n"));  // 9 cycles at 2 per cycle
}

TEST(Model, SaysWhatIsWrong) {
  EXPECT_EQ(sassim_run("model volkov").status, 2);
  EXPECT_EQ(sassim_run("model volkov --gpu maxwell --alpha 1,,2").status, 2);
  const Outcome outcome = sassim_run("model volkow --gpu maxwell");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'volkov'"));
}

}  // namespace
}  // namespace sassim
