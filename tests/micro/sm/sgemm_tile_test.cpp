// SPDX-License-Identifier: Apache-2.0
// Table 1.1 of the V100 report: an 8x8 tile of FFMAs as nvcc 9.0 made it, and with registers placed by hand. The report
// prints neither stalls nor yields. What is assumed here: a stall of two, as FFMAs have; around the tile four LDS.128
// for the next one and the loop's own instructions.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sim/config/loader.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

std::string tile(const std::string& file) {
  std::ifstream in(SASSIM_SOURCE_DIR "/tests/micro/sm/" + file);
  std::string text, row;
  while (std::getline(in, row))
    if (!row.empty() && row[0] == 'F') text += "B------:R-:W-:-:S02 " + row + "\n";
  return text;
}

double gflops(const std::string& file) {
  const config::GpuConfig config =
      config::load_config(SASSIM_SOURCE_DIR "/configs/v100.yaml", {"sm.front_end.perfect=true"});
  SassKernel kernel(
      "loop:\n"
      "B------:R-:W0:-:S01 LDS.128 R84, [R2] ;\nB------:R-:W0:-:S01 LDS.128 R88, [R2+0x10] ;\n"
      "B------:R-:W0:-:S01 LDS.128 R92, [R2+0x20] ;\nB------:R-:W0:-:S01 LDS.128 R96, [R2+0x30] ;\n" +
          tile(file) +
          "B0-----:R-:W-:-:S04 IADD3 R0, R0, 0x1, RZ ;\nB------:R-:W-:Y:S08 ISETP.GE.AND P0, PT, R0, R1, PT ;\n"
          "B------:R-:W-:-:S05 @P0 BRA loop ;\nEXIT ;\n",
      70);
  kernel.warps(4).registers(100).shared(4096).loop("loop", 40);
  const SmRun run = run_sm_with_memory(config, kernel);
  const auto tops = run.issues_of(0, 0);
  const double cycles = static_cast<double>(tops[30] - tops[10]) / 20;
  return 4 * 64 * 64 / cycles * static_cast<double>(config.clock.sm) / 1e9;
}

TEST(SgemmTile, CompilerAgainstHandPlacedRegisters) {
  const double compiler = gflops("sgemm_tile_nvcc.txt"), placed = gflops("sgemm_tile_placed.txt");
  std::printf("nvcc %.2f, placed %.2f GFLOPS per SM, ratio %.3f; published 132.05, 152.43, 1.154\n", compiler, placed,
              placed / compiler);
  EXPECT_NEAR(placed, 152.43, 0.04 * 152.43);
  // Known gap: conflicts after reuse alone explain a third of the published difference.
  EXPECT_GT(placed / compiler, 1.04);
  EXPECT_LT(placed / compiler, 1.154);
}

}  // namespace
}  // namespace sassim::arch::test
