// SPDX-License-Identifier: Apache-2.0
// What copies from the host leave in the L2 for the first kernel (validation/measured/h200/copies.md#copies-in-l2).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

/// Bytes that the program's first kernel reads from DRAM.
double first_reads(const std::string& program, const std::string& options) {
  const TestFolder folder;
  const std::string json = (folder.path() / "result.json").string();
  const Outcome outcome = exec(
      "--config h200 --lines 0 -o sm.count=4 -o environment.others_full=true -o environment.others_written=0 -o "
      "environment.profiled=6MiB " +
          options + " --json " + json,
      program);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::ifstream file(json);
  const auto kernels = nlohmann::json::parse(file).at("kernels");
  return kernels.at(0).at("metrics").at("dram__bytes_read.sum").get<double>();
}

/// The part of the copied bytes that the kernel reads from DRAM.
double read_from_dram(int rows, int kib, const std::string& options = "") {
  return first_reads("copies " + std::to_string(rows) + " " + std::to_string(kib), options) / (rows * kib * 1024);
}

TEST(ExecCopies, ShortOnesLeaveLinesThatAProfilerDoesNotDisplace) {
  EXPECT_LT(read_from_dram(1, 64), 0.1);
  EXPECT_GT(read_from_dram(1, 72), 0.7);
  EXPECT_LT(read_from_dram(1, 72, "-o environment.profiled=0"), 0.1);
  EXPECT_GT(read_from_dram(1, 64, "-o environment.upload_inline=32KiB"), 0.7);
}

TEST(ExecCopies, CodeStaysAsLinesOfAKernelDo) {
  EXPECT_EQ(first_reads("accesses", ""), first_reads("accesses", "-o environment.profiled=0"));
}

TEST(ExecCopies, TheRowsOfALongOneAreNotShortCopies) {
  EXPECT_LT(read_from_dram(8, 4), 0.1);
  EXPECT_GT(read_from_dram(64, 4), 0.7);
}

TEST(ExecCopies, MoreRemainsInAnEmptyL2) {
  const std::string empty = "-o environment.others_full=false -o environment.profiled=0";
  EXPECT_GT(read_from_dram(1, 8192, "-o environment.profiled=0"), 0.5);
  EXPECT_LT(read_from_dram(1, 8192, empty), 0.1);
}

// Which bytes of an image lie side by side: DRAM reads 64 bytes at a time, two sectors of a line.

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

// Measured on an H200, with a larger image (validation/measured/h200/l1.md#textures).
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
