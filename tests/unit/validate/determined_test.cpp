// SPDX-License-Identifier: Apache-2.0
#include "sim/validate/determined.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/config/loader.h"
#include "sim/validate/key_expression.h"

namespace sassim::validate {
namespace {

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
