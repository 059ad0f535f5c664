// SPDX-License-Identifier: Apache-2.0
// Table 1.1 of the V100 report: an 8x8 tile of FFMAs as nvcc 9.0 made it, and with registers placed by hand, as
// validation/programs/sass has them for `sassim validate`, and what in them costs what.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "sim/config/loader.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

/// The program, with or without its yields.
std::string program(const std::string& file, bool yields) {
  std::ifstream in(SASSIM_SOURCE_DIR "/validation/programs/sass/" + file);
  std::string text, row;
  while (std::getline(in, row)) {
    const std::size_t yield = row.find(":Y:");
    if (!yields && yield != std::string::npos && row.find(" FFMA ") != std::string::npos) row[yield + 1] = '-';
    text += row + "\n";
  }
  return text;
}

double gflops(const std::string& file, bool yields, std::vector<std::string> overrides = {}) {
  overrides.push_back("sm.front_end.perfect=true");
  const config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", overrides);
  SassKernel kernel(program(file, yields), 70);
  kernel.warps(4).registers(100).shared(4096).loop("loop", 40);
  const SmRun run = run_sm_with_memory(config, kernel);
  const auto tops = run.issues_of(0, 0);
  const double cycles = static_cast<double>(tops[30] - tops[10]) / 20;
  return 4 * 64 * 64 / cycles * static_cast<double>(config.clock.sm) / 1e9;
}

TEST(SgemmTile, CompilerAgainstHandPlacedRegisters) {
  const double compiler = gflops("sgemm_tile_nvcc.sass", true), placed = gflops("sgemm_tile_placed.sass", false);
  std::printf("nvcc %.2f, placed %.2f GFLOPS per SM, ratio %.3f; published 132.05, 152.43, 1.154\n", compiler, placed,
              placed / compiler);
  EXPECT_NEAR(placed, 152.43, 0.04 * 152.43);
  EXPECT_NEAR(compiler, 132.05, 0.04 * 132.05);
  EXPECT_NEAR(placed / compiler, 1.154, 0.02 * 1.154);
}

// Where the difference comes from: bank conflicts alone, with the cycle of each yield, with the reuse bits lost to it.
TEST(SgemmTile, WhatConflictsAndYieldsCost) {
  const double conflicts = gflops("sgemm_tile_nvcc.sass", false);
  const double kept = gflops("sgemm_tile_nvcc.sass", true, {"sm.register_file.reuse_after_yield=true"});
  const double all = gflops("sgemm_tile_nvcc.sass", true), none = gflops("sgemm_tile_placed.sass", false);
  std::printf("no conflict %.2f, conflicts %.2f, yields %.2f, lost reuse %.2f\n", none, conflicts, kept, all);
  EXPECT_GT(none, conflicts);
  EXPECT_GT(conflicts, kept);
  EXPECT_GT(kept, all);
}

}  // namespace
}  // namespace sassim::arch::test
