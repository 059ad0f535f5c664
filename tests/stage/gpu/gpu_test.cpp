// SPDX-License-Identifier: Apache-2.0
// The whole GPU: SystemC hierarchy, block scheduling, epochs, accounts, refusals.
#include "arch/gpu.h"

#include <gtest/gtest.h>

#include "arch/gpu_module.h"
#include "sim/base/error.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

config::GpuConfig small(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), {"sm.count=4", "memory.model=fixed"});
  return config::load_config(SASSIM_SOURCE_DIR "/configs/v100.yaml", overrides);
}

constexpr const char* kLoop = R"(
  B------:R-:W-:-:S04 MOV R0, 0x0 ;
loop:
  B------:R-:W-:-:S02 FFMA R4, R4, R5, R6 ;
  B------:R-:W-:-:S02 FFMA R7, R4, R5, R6 ;
  B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;
  B0-----:R-:W-:-:S04 IADD3 R0, R0, 0x1, RZ ;
  B------:R-:W-:-:S05 @P0 BRA loop ;
  B------:R0:W-:-:S02 STG.E [R2.64], R8 ;
  B------:R-:W-:-:S05 EXIT ;
)";

SassKernel loop_kernel(std::uint32_t blocks) {
  SassKernel kernel(kLoop);
  kernel.loop("loop", 10).warps(4).blocks(blocks);
  return kernel;
}

TEST(Gpu, SystemcKnowsTheHierarchy) {
  const GpuModule module(small());
  const auto names = module.names();
  const auto has = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  EXPECT_TRUE(has("gpu"));
  EXPECT_TRUE(has("gpu.memory"));
  EXPECT_TRUE(has("gpu.sm3"));
  EXPECT_TRUE(has("gpu.sm3.processing_block3"));
  EXPECT_EQ(names.size(), 2u + 4u * 5u);
}

TEST(Gpu, EverySlotAndEveryWarpCycleIsAccountedFor) {
  Gpu gpu(small());
  const auto source = loop_kernel(50).source();
  const KernelResult result = gpu.run(*source);
  EXPECT_EQ(result.warp_instructions, 50u * 4u * (1u + 10u * 5u + 2u));
  const auto& m = result.metrics;
  double slots = 0, warp_cycles = 0;
  for (std::size_t r = 0; r < kStallReasons; ++r) {
    const std::string name(stall_name(static_cast<StallReason>(r)));
    slots += m["sassim__issue_slots_" + name + ".sum"];
    if (static_cast<StallReason>(r) != StallReason::no_warp) warp_cycles += m["sassim__warp_cycles_" + name + ".sum"];
  }
  EXPECT_EQ(slots, static_cast<double>(result.cycles.value) * 16);
  EXPECT_EQ(warp_cycles, m["sm__warps_active.sum"]);
  EXPECT_EQ(m["sassim__issue_slots_selected.sum"], m["smsp__inst_executed.sum"]);
}

TEST(Gpu, TheResultDependsNeitherOnEpochsNorOnThreads) {
  const auto source = loop_kernel(300).source();
  std::vector<KernelResult> results;
  for (const auto& [threads, epoch] : {std::pair{1u, 0u}, {1u, 1u}, {1u, 17u}, {3u, 0u}}) {
    Gpu gpu(small());
    RunOptions options;
    options.threads = threads;
    options.epoch = epoch;
    results.push_back(gpu.run(*source, options));
  }
  for (const KernelResult& result : results) {
    EXPECT_EQ(result.cycles, results[0].cycles);
    for (const auto& [name, metric] : results[0].metrics.all()) EXPECT_EQ(result.metrics[name], metric.value) << name;
  }
}

TEST(Gpu, TwoGpusInOneProcess) {
  Gpu first(small()), second(small({"sm.count=2"}));
  const auto source = loop_kernel(64).source();
  const Cycle a = first.run(*source).cycles, b = second.run(*source).cycles;
  EXPECT_LT(a, b);
  EXPECT_EQ(first.run(*source).cycles, a);
}

TEST(Gpu, RefusesAnotherArchitectureAndSaysTheWayOut) {
  Gpu gpu(small());
  SassKernel kernel("EXIT ;", 75);
  const auto source = kernel.source();
  try {
    gpu.run(*source);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--allow-arch-mismatch"), std::string::npos);
  }
  RunOptions options;
  options.allow_arch_mismatch = true;
  EXPECT_EQ(gpu.run(*source, options).warp_instructions, 1u);
}

TEST(Gpu, RefusesABlockThatCanNeverFitAndNamesTheLimit) {
  Gpu gpu(small());
  SassKernel kernel("EXIT ;");
  kernel.shared(200000);
  const auto source = kernel.source();
  try {
    gpu.run(*source);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("shared"), std::string::npos) << error.what();
  }
}

TEST(Gpu, AWarpThatWaitsForEverIsReportedWithPcAndText) {
  Gpu gpu(small());
  // Two warps of the block never come to the barrier's count of 96 threads.
  SassKernel kernel("NOP ;\nB------:R-:W-:-:S01 BAR.SYNC 0x1, 0x60 ;\nEXIT ;\n");
  kernel.warps(2);
  const auto source = kernel.source();
  try {
    gpu.run(*source);
    FAIL();
  } catch (const NoProgress& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("barrier"), std::string::npos) << text;
    EXPECT_NE(text.find("0x0020"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace sassim::arch::test
