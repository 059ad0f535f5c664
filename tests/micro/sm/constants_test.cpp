// SPDX-License-Identifier: Apache-2.0
// Constant memory as the reports measure it with loads that depend on each other: latencies of the levels, plateaus
// over the array's size, the cost of distinct addresses, and the L1.5 that is also the L1 instruction cache.
#include <gtest/gtest.h>

#include "tests/micro/sm/whole_gpu.h"

namespace sassim::arch::test {
namespace {

constexpr std::uint64_t kBank = 3ull << 32;  // __constant__ arrays, which no launch brings near

const char* const kLoad = "B0-----:R-:W0:-:S02 LDC R2, c[0x3][R2] ;\n";

/// Cycles per load of the last of `passes` over `bytes`, one load each `stride`.
double chase_constants(const config::GpuConfig& config, std::uint64_t bytes, std::uint64_t stride, std::uint64_t passes,
                       int runs = 1) {
  const std::uint64_t loads = bytes / stride;
  SassKernel kernel(std::string("loop:\n") + kLoad + "B------:R-:W-:-:S05 @P0 BRA loop ;\nB0-----:R-:W-:-:S05 EXIT ;\n",
                    config.arch);
  kernel.loop("loop", loads * passes + 1);
  kernel.addresses([=](std::uint32_t, std::uint32_t, std::uint64_t i, int) { return kBank + i % loads * stride; });
  const IssueLog log = run_gpu(config, kernel, runs);
  const auto& at = log.of(0, 0, 0);
  return static_cast<double>(at[loads * passes] - at[loads * (passes - 1)]) / static_cast<double>(loads);
}

config::GpuConfig one_sm(const char* name) { return load(name, {"sm.count=1"}); }

TEST(ConstantMemory, LatencyOfEachLevel) {
  for (const char* name : {"v100", "t4"}) {
    const config::GpuConfig config = one_sm(name);
    const auto& c = config.sm.constant;
    EXPECT_EQ(chase_constants(config, c.variable.size / 2, 64, 3), c.ldc_latency) << name;
    EXPECT_EQ(chase_constants(config, 8 * c.variable.size, 64, 3), c.l15_latency) << name;
  }
  // V100 report, table 3.1: 27, 89 and 245 cycles. A launch leaves the L2 as it was: the second finds the array there.
  EXPECT_EQ(one_sm("v100").sm.constant.ldc_latency, 27u);
  EXPECT_EQ(one_sm("v100").sm.constant.l15_latency, 89u);
  EXPECT_NEAR(chase_constants(one_sm("v100"), 16384, 512, 1, 2), 245, 0.03 * 245);
}

TEST(ConstantMemory, PlateausOverTheSizeOfTheArray) {
  for (const char* name : {"v100", "t4"}) {
    const config::GpuConfig config = one_sm(name);
    const auto& c = config.sm.constant;
    const std::uint64_t l1 = c.variable.size;
    for (const std::uint64_t bytes : {l1 / 4, l1 / 2, l1})
      EXPECT_EQ(chase_constants(config, bytes, 64, 3), c.ldc_latency) << name << " " << bytes;
    EXPECT_GT(chase_constants(config, l1 + l1 / 8, 64, 3), c.ldc_latency + 1) << name;
    for (const std::uint64_t bytes : {2 * l1, 4 * l1, 8 * l1, config.sm.front_end.l1.size / 2})
      if (bytes <= 65536) {  // a bank holds no more
        EXPECT_EQ(chase_constants(config, bytes, 64, 3), c.l15_latency) << name << " " << bytes;
      }
  }
  // 64 KiB do not fit the T4's 46 KiB.
  EXPECT_GT(chase_constants(one_sm("t4"), 65536, 64, 3), one_sm("t4").sm.constant.l15_latency + 10);
}

TEST(ConstantMemory, DistinctAddressesAreServedOneAfterTheOther) {
  for (const char* name : {"v100", "t4", "h200"}) {
    const config::GpuConfig config = one_sm(name);
    const auto latency = [&](int distinct) {
      SassKernel kernel(
          std::string("loop:\n") + kLoad + "B------:R-:W-:-:S05 @P0 BRA loop ;\nB0-----:R-:W-:-:S05 EXIT ;\n",
          config.arch);
      kernel.loop("loop", 12).addresses([=](std::uint32_t, std::uint32_t, std::uint64_t, int lane) {
        return kBank + static_cast<std::uint64_t>(lane % distinct * 4);
      });
      const IssueLog log = run_gpu(config, kernel);
      const auto& at = log.of(0, 0, 0);
      return at[11] - at[10];
    };
    for (const int distinct : {1, 2, 4, 8, 16, 32})
      EXPECT_EQ(latency(distinct), config.sm.constant.ldc_latency + (distinct - 1) * config.sm.constant.ldc_pass)
          << name << " " << distinct;
  }
}

// Figure 9 of the T4 report: a scan of constants is warmed up, then FFMAs of growing length run, then the scan is
// timed. Misses rise from none to all.
TEST(ConstantMemory, CodeEvictsConstantsFromTheL15) {
  const config::GpuConfig config = one_sm("t4");
  constexpr std::uint64_t kArray = 16384, kLoads = kArray / 64;
  const auto scan_cycles = [&](std::uint64_t code) {
    std::string ffmas;
    for (std::uint64_t i = 0; i < isa::CodeLayout().index(code); ++i)
      ffmas += "B------:R-:W-:-:S02 FFMA R" + std::to_string(4 + i % 8) + ", R20, R21, R22 ;\n";
    SassKernel kernel("again:\nNOP ;\nscan:\n" + std::string(kLoad) + "B------:R-:W-:-:S05 @P0 BRA scan ;\n" + ffmas +
                          "B0-----:R-:W-:-:S05 @P0 BRA again ;\nEXIT ;\n",
                      config.arch);
    kernel.loop("scan", kLoads).loop("again", 3);
    kernel.addresses([=](std::uint32_t, std::uint32_t, std::uint64_t i, int) { return kBank + i % kLoads * 64; });
    const IssueLog log = run_gpu(config, kernel);
    const auto& at = log.of(0, 0, 1);
    return static_cast<double>(at[3 * kLoads - 1] - at[2 * kLoads]) / static_cast<double>(kLoads - 1);
  };
  const double hit = config.sm.constant.l15_latency;
  const std::uint64_t room = config.sm.front_end.l1.size - kArray;
  EXPECT_NEAR(scan_cycles(room / 4), hit, 0.05 * hit);
  EXPECT_NEAR(scan_cycles(room * 7 / 10), hit, 0.05 * hit);
  const double some = scan_cycles(room + kArray / 8), all = scan_cycles(3 * config.sm.front_end.l1.size);
  EXPECT_GT(some, 1.1 * hit);
  EXPECT_GT(all, 1.1 * some);
  EXPECT_NEAR(scan_cycles(4 * config.sm.front_end.l1.size), all, 0.05 * all);
}

}  // namespace
}  // namespace sassim::arch::test
