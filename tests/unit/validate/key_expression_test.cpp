// SPDX-License-Identifier: Apache-2.0
#include "sim/validate/key_expression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"
#include "sim/config/loader.h"
#include "sim/validate/determined.h"

namespace sassim::validate {
namespace {

config::GpuConfig gpu() {
  config::GpuConfig gpu;
  gpu.sm.count = 80;
  gpu.clock.sm = 1'380'000'000;
  gpu.sm.occupancy.carveouts = {8 << 10, 96 << 10, 64 << 10};
  return gpu;
}

TEST(KeyExpression, KeysUnitsAndArithmetic) {
  EXPECT_DOUBLE_EQ(evaluate("sm.count", gpu()), 80);
  EXPECT_DOUBLE_EQ(evaluate("clock.sm / MHz", gpu()), 1380);
  EXPECT_DOUBLE_EQ(evaluate("2 + 3 * (4 - 1) / 2", gpu()), 6.5);
  EXPECT_DOUBLE_EQ(evaluate("20 / 2 / 5", gpu()), 2);
  EXPECT_DOUBLE_EQ(evaluate("sm.count * clock.sm / 1.024e6", gpu()), 107812.5);
  EXPECT_DOUBLE_EQ(evaluate("answer * GHz", gpu(), {{"answer", 2}}), 2e9);
}

TEST(KeyExpression, ListsByTheirLargestAndSmallest) {
  EXPECT_DOUBLE_EQ(evaluate("max(sm.occupancy.carveouts) / KiB", gpu()), 96);
  EXPECT_DOUBLE_EQ(evaluate("min(sm.occupancy.carveouts)", gpu()), 8192);
  EXPECT_DOUBLE_EQ(evaluate("max(sm.count, 3 * 40, 7)", gpu()), 120);
  EXPECT_DOUBLE_EQ(evaluate("sm.count * max(sm.occupancy.carveouts) / KiB", gpu()), 7680);
}

TEST(KeyExpression, SaysWhatIsWrong) {
  const auto message = [](const char* expression) -> std::string {
    try {
      evaluate(expression, gpu());
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(message("sm.cout").find("did you mean 'sm.count'?"), std::string::npos) << message("sm.cout");
  EXPECT_NE(message("sm.occupancy.carveouts").find("max or min"), std::string::npos);
  EXPECT_NE(message("sm.issue.scheduler").find("not a number"), std::string::npos);
  for (const char* open : {"(", "max("}) {
    std::string deep;
    for (int i = 0; i < 50'000; ++i) deep += open;
    EXPECT_NE(message(deep.c_str()).find("more than 100 parentheses"), std::string::npos);
  }
  EXPECT_DOUBLE_EQ(evaluate(std::string(100, '(') + "2" + std::string(100, ')'), gpu()), 2);
  for (const char* wrong : {"", "2 *", "(2", "2 3", "max()", "1 / 0", "sm.count %"})
    EXPECT_NE(message(wrong), "nothing") << wrong;
}

// What an H200's file of measured values determines is what its configuration has, to a cycle and a half.
TEST(Determined, KeysOfAMeasuredGpuAreThoseOfItsConfiguration) {
  const std::string data = SASSIM_SOURCE_DIR "/validation/";
  const auto rows = determined_keys(data + "determines.yaml", load_hardware(data + "measured/h200.json.xz", "h200"));
  const config::GpuConfig gpu = config::load_config("h200");
  EXPECT_GE(rows.size(), 10u);
  for (const Determined& row : rows) {
    EXPECT_LE(std::fabs(evaluate(row.key, gpu) - std::stod(row.fact.value)), 1) << row.id << ": " << row.fact.value;
    EXPECT_LE(std::fabs(row.residual()), 0.04) << row.id;
    EXPECT_EQ(row.fact.comment.rfind("measured: " + row.id + " of NVIDIA H200", 0), 0u) << row.fact.comment;
  }
}

}  // namespace
}  // namespace sassim::validate
