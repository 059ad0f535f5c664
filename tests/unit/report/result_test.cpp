// SPDX-License-Identifier: Apache-2.0
#include "sim/report/result.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/base/error.h"

namespace sassim::report {
namespace {

KernelReport sample() {
  KernelReport kernel;
  kernel.name = "vadd";
  kernel.grid = {4, 2, 1};
  kernel.block = {128, 1, 1};
  kernel.trace_hash = "abc";
  kernel.warp_instructions = 320;
  kernel.metrics.sum("smsp__inst_executed.sum", "inst", "m", 320);
  kernel.metrics.set("sm__cycles_active.avg", "cycle", "m", 12.5);
  kernel.lines.push_back({16, "FADD R1, R2, R3", 32, {{"wait", 128}}});
  return kernel;
}

TEST(Result, JsonHasTheContractsShape) {
  RunReport run;
  run.config_name = "t4";
  run.kernels.push_back(sample());
  run.host = {2.0, 1, 320, 1000};
  const auto json = to_json(run);
  EXPECT_EQ(json["schema"], "sassim-result/1");
  EXPECT_EQ(json["kernels"][0]["metrics"]["smsp__inst_executed.sum"], 320);
  EXPECT_TRUE(json["kernels"][0]["metrics"]["smsp__inst_executed.sum"].is_number_integer());
  EXPECT_EQ(json["host"]["warp_instructions_per_second"], 160.0);
}

TEST(Result, AKernelSurvivesTheRoundTrip) {
  const auto json = to_json(sample());
  EXPECT_EQ(to_json(kernel_from_json(json, "test")).dump(), json.dump());
}

TEST(Result, ForeignJsonIsRefusedWithItsPlace) {
  try {
    kernel_from_json({{"name", "x"}}, "a.json");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("a.json: not a kernel result"), 0u);
  }
}

}  // namespace
}  // namespace sassim::report
