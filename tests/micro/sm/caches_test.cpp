// SPDX-License-Identifier: Apache-2.0
// Instruction and constant caches: plateaus over code size, what is private and what is shared, misses at issue.
#include <gtest/gtest.h>

#include "sim/config/loader.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

config::GpuConfig load(const char* name) {
  return config::load_config(std::string(SASSIM_SOURCE_DIR "/configs/") + name + ".yaml", {"memory.fixed_latency=200"});
}

std::string nops(std::uint64_t bytes) {
  std::string text;
  for (std::uint64_t i = 0; i < bytes / kInstructionBytes; ++i) text += "NOP ;\n";
  return text;
}

/// Cycles per instruction of the last pass over `bytes` of NOPs.
double cpi(const config::GpuConfig& config, std::uint64_t bytes) {
  SassKernel kernel("loop:\nCS2R R2, SR_CLOCKLO ;\n" + nops(bytes) + "CS2R R4, SR_CLOCKLO ;\n@P0 BRA loop ;\nEXIT ;\n",
                    config.arch);
  kernel.loop("loop", 3);
  const auto clocks = run_sm(config, kernel).clock_of(0);
  return static_cast<double>(clocks.at(5) - clocks.at(4)) / static_cast<double>(bytes / kInstructionBytes);
}

TEST(InstructionCaches, PlateausAtTheSizesOfL0AndL1) {
  for (const char* name : {"v100", "t4"}) {
    const config::GpuConfig config = load(name);
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

/// CPI of a victim that loops over `probe` bytes while an aggressor warp runs `thrash` bytes between its own passes.
double victim(const config::GpuConfig& config, std::uint64_t probe, std::uint64_t thrash, std::uint32_t victim_warp) {
  SassKernel kernel("loop:\n" + nops(thrash) + "@P0 BRA loop ;\nEXIT ;\nvictim:\nCS2R R2, SR_CLOCKLO ;\n" +
                        nops(probe) + "CS2R R4, SR_CLOCKLO ;\n@P0 BRA victim ;\nidle:\nEXIT ;\n",
                    config.arch);
  kernel.warps(8).loop("loop", 12).loop("victim", 8).entry([=](std::uint32_t warp) {
    return warp == 0 ? "" : warp == victim_warp ? "victim" : "idle";
  });
  const auto clocks = run_sm(config, kernel).clock_of(victim_warp);
  std::uint64_t sum = 0;
  for (std::size_t pass = 2; pass < 8; ++pass) sum += clocks.at(2 * pass + 1) - clocks.at(2 * pass);
  return static_cast<double>(sum) / 6 / static_cast<double>(probe / kInstructionBytes);
}

TEST(InstructionCaches, L0IsPrivateToAProcessingBlockAndL1IsShared) {
  const config::GpuConfig config = load("t4");
  const auto& front = config.sm.front_end;
  const std::uint64_t small = front.l0.size / 2;
  const double alone = victim(config, small, 512, 1);
  // Another block's code beyond the L0 does not touch this block's L0.
  EXPECT_NEAR(victim(config, small, front.l0.size, 1), alone, 0.02 * alone);
  // A victim that lives in the L1 suffers from what another block runs beyond the L1.
  const std::uint64_t large = front.l1.size * 7 / 8;
  EXPECT_GT(victim(config, large, front.l1.size, 1), 1.2 * victim(config, large, 512, 1));
}

TEST(ConstantCaches, AMissAtIssueCostsTheWayToTheL15) {
  config::GpuConfig config = load("ampere-test");
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
  const config::GpuConfig config = load("t4");
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
