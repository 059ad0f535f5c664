// SPDX-License-Identifier: Apache-2.0
// Every file in configs/chips is a GPU that runs: loads and stores of all its SMs, through its L2 to its DRAM.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

std::vector<std::string> chips() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SASSIM_SOURCE_DIR "/configs/chips"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class EveryChip : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryChip, RunsAKernelOnAllItsSms) {
  constexpr std::uint32_t kWarps = 2, kLineBytes = 128;
  const config::GpuConfig config = config::load_config(GetParam());
  SassKernel kernel(
      "B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\n"
      "B0-----:R-:W-:-:S04 FFMA R9, R8, R8, R8 ;\n"
      "B------:R0:W-:-:S02 STG.E [R2.64+0x1000000], R9 ;\n"
      "B------:R-:W-:-:S05 EXIT ;\n",
      config.arch);
  const std::uint32_t blocks = 2 * config.sm.count;
  kernel.warps(kWarps).blocks(blocks).addresses_by_block(
      [](std::uint64_t block, std::uint32_t warp, std::uint32_t line, std::uint64_t, int lane) {
        const std::uint64_t base = line == 0 ? 0x10000000 : 0x11000000;
        return base + (block * kWarps + warp) * kLineBytes + static_cast<std::uint64_t>(lane) * 4;
      });
  const auto source = kernel.source();
  RunOptions cold;
  cold.caches = CacheStart::cold;
  const KernelResult result = Gpu(config).run(*source, cold);
  EXPECT_EQ(result.warp_instructions, std::uint64_t{blocks} * kWarps * 4);
  EXPECT_GE(result.metrics["dram__bytes_read.sum"], 1.0 * blocks * kWarps * kLineBytes) << "every line comes once";
  // A miss in both caches takes at least its way there and back.
  EXPECT_GT(result.cycles.value, config.memory.crossbar.request_latency + config.memory.crossbar.reply_latency);
  EXPECT_LT(result.cycles.value, 20'000u);
}

INSTANTIATE_TEST_SUITE_P(Chips, EveryChip, ::testing::ValuesIn(chips()), [](const auto& chip) {
  std::string name = chip.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace sassim::arch::test
