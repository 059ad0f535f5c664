// SPDX-License-Identifier: Apache-2.0
// Which bytes of an image lie side by side: DRAM reads 64 bytes at a time, two sectors of a line.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

/// Sectors of DRAM for the left and for the upper half of each line's sectors, 4096 of 8192.
std::pair<double, double> halves(const std::string& config) {
  const TestFolder folder;
  const Outcome outcome = exec("--caches cold --json " + (folder / "out.json") + " --config " + config, "image_parts");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const nlohmann::json kernels = nlohmann::json::parse(std::ifstream(folder / "out.json"))["kernels"];
  const auto sectors = [&](std::size_t kernel) -> double {
    return kernels.at(kernel)["metrics"]["dram__sectors_read.sum"];
  };
  return {sectors(0), sectors(1)};
}

// Measured on an H200, with a larger image (validation/measured/h200/textures.md).
TEST(ImageParts, FromTuringOnFourRowsOfAColumnLieTogether) {
  const auto [left, upper] = halves("h200");
  EXPECT_NEAR(left, 4096, 200);
  EXPECT_NEAR(upper, 8192, 200);
}

TEST(ImageParts, OnVoltaTwoRowsOfTwoColumnsLieTogether) {
  const auto [left, upper] = halves("v100");
  EXPECT_NEAR(left, 8192, 200);
  EXPECT_NEAR(upper, 4096, 200);
}

}  // namespace
}  // namespace sassim
