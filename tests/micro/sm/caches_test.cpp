// SPDX-License-Identifier: Apache-2.0
// Instruction and constant caches of one SM: plateaus over code size, misses at issue.
#include <gtest/gtest.h>

#include "tests/micro/sm/whole_gpu.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

config::GpuConfig with_fixed_memory(const char* name) {
  return config::load_config(std::string(SASSIM_SOURCE_DIR "/configs/chips/") + name + ".yaml",
                             {"memory.fixed_latency=200"});
}

/// Cycles per instruction of the last pass over `bytes` of NOPs.
double cpi(const config::GpuConfig& config, std::uint64_t bytes) {
  SassKernel kernel("loop:\nCS2R R2, SR_CLOCKLO ;\n" + nops(bytes) + "CS2R R4, SR_CLOCKLO ;\n@P0 BRA loop ;\nEXIT ;\n",
                    config.arch);
  kernel.loop("loop", 3);
  const auto clocks = run_sm(config, kernel).clock_of(0);
  return static_cast<double>(clocks.at(5) - clocks.at(4)) / static_cast<double>(isa::CodeLayout().index(bytes));
}

TEST(InstructionCaches, PlateausAtTheSizesOfL0AndL1) {
  for (const char* name : {"v100", "t4"}) {
    const config::GpuConfig config = with_fixed_memory(name);
    const auto& front = config.sm.front_end;
    const double in_l0 = cpi(config, front.l0.size / 2);
    const double in_l1 = cpi(config, front.l0.size * 3 / 2);
    const double in_l2 = cpi(config, front.l1.size * 3 / 2);
    EXPECT_NEAR(cpi(config, front.l0.size * 3 / 4), in_l0, 0.05) << name;
    EXPECT_GT(in_l1, 1.3 * in_l0) << name;
    EXPECT_NEAR(cpi(config, front.l1.size * 3 / 4), in_l1, 0.15 * in_l1) << name;
    EXPECT_GT(in_l2, 1.3 * in_l1) << name;
    std::printf("%s CPI: L0 %.2f, L1 %.2f, L2 %.2f\n", name, in_l0, in_l1, in_l2);
  }
}

TEST(ConstantCaches, AMissAtIssueCostsTheWayToTheL15) {
  config::GpuConfig config = with_fixed_memory("ampere-test");
  config.sm.front_end.perfect = true;
  // The second operand's line (64 bytes on) was brought into the L1.5 with its neighbours by the first.
  SassKernel kernel(
      "B------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x180] ;\nB------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x180] ;\n"
      "B------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x1c0] ;\nB------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x1c4] ;\nEXIT ;\n",
      86);
  const SmRun run = run_sm(config, kernel);
  const auto at = [&](std::uint32_t line) { return run.issues_of(0, line).at(0); };
  EXPECT_EQ(at(1) - at(0), 4u);
  EXPECT_EQ(at(2) - at(1), 4u + config.sm.constant.fixed_miss_latency);
  EXPECT_EQ(at(3) - at(2), 4u);
  EXPECT_GT(run.warp_reason(StallReason::imc_miss), std::uint64_t{config.sm.constant.fixed_miss_latency});
}

TEST(ConstantCaches, CodeEvictsConstantsFromTheSharedL15) {
  const config::GpuConfig config = with_fixed_memory("t4");
  // Constants that only the L1.5 holds are scanned again after code of growing length.
  const auto misses = [&](std::uint64_t code) {
    std::string scan;
    for (int i = 0; i < 128; ++i) scan += "FADD R4, R5, c[0x3][" + std::to_string(64 * i) + "] ;\n";
    SassKernel kernel("loop:\n" + scan + nops(code) + "@P0 BRA loop ;\nEXIT ;\n", config.arch);
    kernel.loop("loop", 3);
    return run_sm(config, kernel).metrics["sassim__const_l15_misses.sum"];
  };
  const double cold = misses(1024);
  EXPECT_LE(misses(8 * 1024), 1.05 * cold);
  EXPECT_GT(misses(config.sm.front_end.l1.size), 2 * cold);
}

}  // namespace
}  // namespace sassim::arch::test
