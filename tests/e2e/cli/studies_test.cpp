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
namespace fs = std::filesystem;

class SweepCommand : public ::testing::Test {
 protected:
  fs::path out_ = fs::path(::testing::TempDir()) / ("sassim_sweep_" + std::to_string(::getpid()));
  void SetUp() override { fs::remove_all(out_); }
  void TearDown() override { fs::remove_all(out_); }

  std::string text(const char* name) const {
    std::ifstream in(out_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(SweepCommand, WritesPointsPlotsAndModelErrors) {
  const std::string command =
      "sweep --config h200 --workload sfu --alpha 0,2,8 --warps 4,16 --models volkov,hong-kim"
      " --hardware " SASSIM_SOURCE_DIR "/validation/measured/h200.json.xz --out " +
      out_.string();
  const Outcome outcome = sassim_run(command);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("warps per SM for 90 % of the peak"), HasSubstr("volkov against hardware"),
                                 HasSubstr("simulator against hardware")));
  const std::string csv = text("points.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 3 * 2);
  EXPECT_THAT(csv, HasSubstr("\n8,16,"));
  EXPECT_THAT(text("errors.csv"), HasSubstr("volkov,simulator,8,"));
  EXPECT_THAT(text("points.json"), HasSubstr("\"schema\": \"sassim-sweep/1\""));
  for (const char* plot :
       {"cusp", "alpha_0", "alpha_2", "alpha_8", "occupancy", "errors_simulator", "errors_hardware"}) {
    EXPECT_THAT(text((std::string(plot) + ".svg").c_str()), HasSubstr("</svg>")) << plot;
    EXPECT_THAT(text((std::string(plot) + ".png").c_str()), HasSubstr("PNG")) << plot;
  }
  EXPECT_THAT(text("alpha_8.svg"), AllOf(HasSubstr(">Throughput (instructions per cycle and SM)<"),
                                         HasSubstr(">hardware<"), HasSubstr(">volkov<")));

  // The same command finds its points and gives the same bytes.
  const std::string points = text("points.json"), svg = text("cusp.svg");
  EXPECT_EQ(sassim_run(command).status, 0);
  EXPECT_EQ(text("points.json"), points);
  EXPECT_EQ(text("cusp.svg"), svg);
}

TEST_F(SweepCommand, SaysWhyHardwareIsMissing) {
  const Outcome outcome =
      sassim_run("sweep --config h200 -o sm.count=2 --alpha 0 --warps 4 --hardware " SASSIM_SOURCE_DIR
                 "/validation/measured/h200.json.xz --out " +
                 out_.string());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("--as-measured simulates the form that was run"));
}

TEST_F(SweepCommand, RefusesWhatCannotBeBeforeAnythingRuns) {
  for (const auto& [arguments, message] : {std::pair{"--warps 65", "--warps: 65 is more than an SM of v100 holds (64)"},
                                           {"--alpha 1.5", "alpha 1.5: must be a whole number"},
                                           {"--workload texture", "--workload"},
                                           {"--models volkow", "did you mean 'volkov'?"},
                                           {"--as-measured --ilp 2", "leave --ilp and --access as they are"}}) {
    const Outcome outcome = sassim_run(std::string("sweep --config v100 ") + arguments + " --out " + out_.string());
    EXPECT_NE(outcome.status, 0) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

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
