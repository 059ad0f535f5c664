// SPDX-License-Identifier: Apache-2.0
#include "sim/validate/ncu_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "sim/base/error.h"
#include "sim/config/find.h"
#include "sim/report/ncu_stream.h"
#include "sim/validate/expected_error.h"
#include "tests/support/test_folder.h"

namespace sassim::validate {
namespace {

TEST(NcuCsv, ReadsAColumnPerMetricWithUnitsAndSeparators) {
  auto kernels = parse_ncu_csv(
      "==PROF== Connected\nmy program: PASS\n"
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"dram__bytes_read.sum\",\"gpu__time_duration.sum\"\n"
      "\"\",\"\",\"\",\"\",\"Mbyte\",\"us\"\n"
      "\"0\",\"add(float *, \"\"x\"\")\",\"(256, 1, 1)\",\"(4, 1, 1)\",\"1,234.5\",\"2.5\"\n"
      "\"1\",\"add(float *)\",\"(256, 1, 1)\",\"(4, 1, 1)\",\"n/a\",\"3\"\n",
      "f.csv");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "add(float *, \"x\")");
  EXPECT_EQ(kernels[0].block, "(256, 1, 1)");
  EXPECT_DOUBLE_EQ(kernels[0].metrics.at("dram__bytes_read.sum"), 1234.5e6);
  EXPECT_DOUBLE_EQ(kernels[0].metrics.at("gpu__time_duration.sum"), 2500);
  EXPECT_EQ(kernels[1].metrics.count("dram__bytes_read.sum"), 0u);
}

TEST(NcuCsv, ReadsARowPerMetric) {
  auto kernels = parse_ncu_csv(
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"a\",\"smsp__inst_executed.sum\",\"inst\",\"1,000\"\n"
      "\"0\",\"a\",\"sm__cycles_active.avg\",\"cycle\",\"7.5\"\n"
      "\"1\",\"b\",\"smsp__inst_executed.sum\",\"inst\",\"2\"\n",
      "f.csv");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_DOUBLE_EQ(kernels[0].metrics.at("smsp__inst_executed.sum"), 1000);
  EXPECT_DOUBLE_EQ(kernels[0].metrics.at("sm__cycles_active.avg"), 7.5);
  EXPECT_EQ(kernels[1].name, "b");
}

TEST(NcuCsv, NamesFileAndLineOfADamagedRow) {
  try {
    parse_ncu_csv("\"ID\",\"Kernel Name\"\n\"0\",\"a\",\"extra\"\n", "f.csv");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("f.csv:2: 3 fields, the header has 2"), std::string::npos) << error.what();
  }
  EXPECT_THROW(parse_ncu_csv("nothing here\n", "f.csv"), InputError);
}

TEST(NcuCsv, ReadsTheKeptProfiles) {
  auto kernels = read_ncu_csv(SASSIM_BINARY_DIR "/unpacked/profiles/h200/transpose.small.csv");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_DOUBLE_EQ(kernels[0].metrics.at("smsp__inst_executed.sum"), 57344);
}

TEST(NcuCsv, ADetailsPageIsToldFromTheRawOne) {
  const std::string text =
      "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"a(int)\",\"GPU Speed Of Light Throughput\",\"Elapsed Cycles\",\"cycle\",\"2,000\"\n";
  try {
    parse_ncu_csv(text, "p.csv");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--page raw"), std::string::npos) << error.what();
  }
}

// What --csv-ncu writes is read as a profile: the same names, values and launches.
TEST(NcuCsv, ReadsWhatSimulationsWrite) {
  TestFolder folder;
  report::KernelReport kernel;
  kernel.name = "_Z5saxpyf";
  kernel.grid = {4, 1, 1};
  kernel.block = {32, 2, 1};
  kernel.metrics.read("dram__bytes_read.sum", "byte", 123456789, true);
  kernel.metrics.read("lts__t_sector_hit_rate.pct", "%", 12.5, false);
  kernel.metrics.read("gpu__time_duration.sum", "ns", 1e9, false);
  kernel.metrics.read("gpc__cycles_elapsed.avg.per_second", "Hz", 1.5e9, false);
  kernel.metrics.read("sassim__phase_full.cycles", "cycle", 1, false);
  report::NcuStream stream(folder / "p.csv", "t4", 75);
  stream.add(kernel);
  report::KernelReport faulted;
  faulted.fault = report::KernelFault{};
  stream.add(faulted);
  stream.add(kernel);
  stream.finish();
  const auto kernels = read_ncu_csv(folder / "p.csv");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[1].name, "saxpy(float)");
  EXPECT_EQ(kernels[1].grid, "(4, 1, 1)");
  EXPECT_EQ(kernels[1].block, "(32, 2, 1)");
  EXPECT_FALSE(kernels[1].metrics.contains("sassim__phase_full.cycles"));
  for (const char* name : {"dram__bytes_read.sum", "lts__t_sector_hit_rate.pct", "gpu__time_duration.sum",
                           "gpc__cycles_elapsed.avg.per_second"})
    EXPECT_EQ(kernels[1].metrics.at(name), kernel.metrics[name]) << name;
}

TEST(ExpectedError, IsThatOfKernelsKeptApart) {
  const std::string page =
      "# Accuracy of h9 on application kernels\n## All sets\n| | kernels | mean error |\n"
      "| Development kernels, cold caches, elapsed | 3 | **4.6 %** | 1 % |\n"
      "| Validation kernels, cold caches, active | 9 | **6.5 %** | 1 % |\n"
      "| Validation kernels, cold caches, elapsed | 9 | **5.5 %** | 1 % | 23.0 % (one (of them)) |\n"
      "| Validation kernels, caches kept, elapsed | 9 | **7.5 %** | 1 % | 24.0 % (one) |\n";
  const auto cold = expected_error_in(page, "h9", "cold");
  ASSERT_TRUE(cold);
  EXPECT_EQ(cold->mean, 5.5);
  EXPECT_EQ(cold->measured, "9 validation kernels with cold caches, worst 23.0 %");
  EXPECT_EQ(expected_error_in(page, "h9", "keep")->mean, 7.5);
  EXPECT_FALSE(expected_error_in(page, "h9", "warm")) << "no kernel was measured so";
  EXPECT_FALSE(expected_error_in(page, "h", "cold"));
  const std::string boards =
      "# Accuracy of Volta\n## a\n3 rows: mean error 1 %, 90th percentile 4 %, bias 0 %.\n"
      "## b\n8 rows: mean error 2 %, 90th percentile 5.1 %, bias -1 %.\n";
  EXPECT_EQ(expected_error_in(boards, "b", "cold")->mean, 2);
  EXPECT_EQ(expected_error_in(boards, "b", "keep")->measured, "8 rows with cold or kept caches, 90th percentile 5.1 %");
  const std::string chip =
      "# Accuracy of a B on application kernels\n**9 rows, mean error 3.5 %**, 90th percentile 5.2 %, bias -1 %, worst "
      "-6 % (k).\n" +
      boards.substr(boards.find("## b"));
  EXPECT_EQ(expected_error_in(chip, "b", "cold")->mean, 2) << "the board itself counts";
  const std::string others = chip.substr(0, chip.find("## b")) + "## b-fast\n9 rows: mean error 3.5 %, bias -1 %.\n";
  EXPECT_EQ(expected_error_in(others, "b", "keep")->mean, 3.5);
  EXPECT_EQ(expected_error_in(others, "b", "cold")->measured,
            "9 rows of this chip's boards with cold or kept caches, 90th percentile 5.2 %");
  EXPECT_FALSE(expected_error_in(others, "b", "warm"));
  EXPECT_FALSE(expected_error_in(others, "c", "cold"));
  EXPECT_TRUE(expected_error("h200", "cold").has_value());
  EXPECT_TRUE(expected_error("t4", "cold")->measured.starts_with("45 rows with cold or kept caches"));
  EXPECT_FALSE(expected_error("t4 with l1.size=32KiB", "cold").has_value());
}

TEST(ExpectedError, IsUnknownWithTheReasonAndTheShareOfAssumedValues) {
  const auto sentence = [](const char* name, const std::vector<std::string>& overrides, const char* caches) {
    const config::LoadedConfig loaded = config::read_config(name, {overrides, {}});
    const std::string shown = overrides.empty() ? name : std::string(name) + " with " + overrides.front();
    return trust_sentence(expected_error(shown, caches), loaded, shown, caches);
  };
  EXPECT_THAT(sentence("rtx3090", {}, "cold"),
              testing::MatchesRegex("Expected error of the cycles: unknown: no kernel of this GPU was measured; "
                                    "[0-9]+ of its [0-9]+ values are assumed\\. Trust: published "
                                    "\\(validation/results/papers.md\\)."));
  EXPECT_THAT(sentence("h200", {}, "warm"), testing::HasSubstr("no kernel of this GPU was measured with warm caches"));
  EXPECT_THAT(sentence("h200", {"l1.size=128KiB"}, "cold"), testing::HasSubstr("values of this GPU were changed"));
  EXPECT_THAT(sentence("h200", {}, "cold"), testing::MatchesRegex("Expected error of the cycles: [0-9.]+ % .*"));
}

TEST(ExpectedError, OneWordSaysWhatAGpuWasComparedWith) {
  EXPECT_EQ(trust_in("h200").word, "measured");
  EXPECT_EQ(trust_in("h200").page, "validation/results/accuracy-h200.md");
  EXPECT_EQ(trust_in("t4 with l1.size=32KiB").word, "measured") << "the GPU's word, whatever was changed";
  EXPECT_EQ(trust_in("rtx3090").word, "published");
  EXPECT_EQ(trust_in("rtx2060").word, "carried over");
  for (const config::ConfigFile& file : config::list_configs()) {
    const Trust trust = trust_in(file.name);
    EXPECT_TRUE(std::ifstream(SASSIM_SOURCE_DIR "/" + trust.page).good()) << file.name << ": " << trust.page;
  }
}

}  // namespace
}  // namespace sassim::validate
