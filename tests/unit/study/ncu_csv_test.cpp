// SPDX-License-Identifier: Apache-2.0
#include "sim/study/ncu_csv.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/base/error.h"

namespace sassim::study {
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
  auto kernels = read_ncu_csv(SASSIM_SOURCE_DIR "/validation/hardware/ncu/h200/transpose.small.csv");
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

}  // namespace
}  // namespace sassim::study
