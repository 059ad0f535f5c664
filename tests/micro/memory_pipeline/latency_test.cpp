// SPDX-License-Identifier: Apache-2.0
// Latency and throughput of shared memory and L1 as a kernel sees them, against the published values.
#include <gtest/gtest.h>

#include "tests/micro/memory_pipeline/gpu_bench.h"

namespace sassim::arch::test {
namespace {

constexpr const char* kChaseShared = "B0-----:R-:W0:-:S02 LDS R2, [R2] ;\n";
constexpr const char* kChaseGlobal = "B0-----:R-:W0:-:S02 LDG.E R2, [R2.64] ;\n";
constexpr const char* kChasePointers = "B0-----:R-:W0:-:S02 LDG.E.64 R2, [R2.64] ;\n";

Address fixed(std::uint64_t at) {
  return [=](std::uint32_t, std::uint32_t, std::uint64_t, int) { return at; };
}
Address side_by_side(std::uint64_t bytes) {
  return [=](std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
    return 0x10000000 + (warp % 8 * 32 + static_cast<std::uint64_t>(lane)) * bytes;
  };
}

struct Latency {
  const char* gpu;
  double shared, l1, l1_pointers;
};

class Latencies : public testing::TestWithParam<Latency> {};

TEST_P(Latencies, DependentLoads) {
  const config::GpuConfig config = one_sm(GetParam().gpu);
  EXPECT_EQ(cycles_per_line(config, "", kChaseShared, 1, fixed(0), LaneMask{1}, 1024), GetParam().shared);
  EXPECT_EQ(cycles_per_line(config, "", kChaseGlobal, 1, fixed(0x10000000), LaneMask{1}), GetParam().l1);
  EXPECT_EQ(cycles_per_line(config, "", kChasePointers, 1, fixed(0x10000000), LaneMask{1}), GetParam().l1_pointers);
}

// Shared: V100 report table 3.1; T4 between V100 and P4; L1: the reports' table 3.1 and section 4.1, taken as chases of
// 64-bit pointers, which take an H200 a cycle more than 32-bit loads (validation/measured).
INSTANTIATE_TEST_SUITE_P(Gpus, Latencies,
                         testing::Values(Latency{"v100", 19, 27, 28}, Latency{"t4", 21, 30, 32},
                                         Latency{"h200", 23, 31, 32}),
                         [](const auto& gpu) { return std::string(gpu.param.gpu); });

struct Bandwidth {
  const char* gpu;
  double bytes_per_cycle;
};

class L1Bandwidth : public testing::TestWithParam<Bandwidth> {};

// Warps begin one after another, so that the first of their loads do not count.
TEST_P(L1Bandwidth, IndependentLoadsFillTheDataStage) {
  const config::GpuConfig config = one_sm(GetParam().gpu);
  for (const auto& [line, bytes] : {std::pair{"LDG.E R4, [R2.64] ;\n", 4}, std::pair{"LDG.E.64 R4, [R2.64] ;\n", 8},
                                    std::pair{"LDG.E.128 R4, [R2.64] ;\n", 16}}) {
    const double cycles =
        cycles_per_line(config, "", std::string("B------:R-:W0:-:S02 ") + line, 32,
                        side_by_side(static_cast<std::uint64_t>(bytes)), LaneMask::all(), 0, 140, 340);
    EXPECT_NEAR(32 * 32 * bytes / cycles, GetParam().bytes_per_cycle, 0.02 * GetParam().bytes_per_cycle) << bytes;
  }
}
INSTANTIATE_TEST_SUITE_P(Gpus, L1Bandwidth,
                         testing::Values(Bandwidth{"v100", 128}, Bandwidth{"t4", 64}, Bandwidth{"h200", 128}),
                         [](const auto& gpu) { return std::string(gpu.param.gpu); });

TEST(SharedBandwidth, IsOnePassPerCycle) {
  const config::GpuConfig config = one_sm("v100");
  for (int stride : {1, 2, 4, 32}) {
    const auto address = [=](std::uint32_t, std::uint32_t, std::uint64_t, int lane) {
      return std::uint64_t{4} * static_cast<unsigned>(lane * stride);
    };
    const double cycles =
        cycles_per_line(config, "", "B------:R-:W0:-:S02 LDS R4, [R2] ;\n", 32, address, LaneMask::all(), 4096);
    EXPECT_NEAR(cycles, 32.0 * stride, 0.02 * 32 * stride) << stride;
  }
}

/// Volkov's arithmetic case for LDS: throughput over warps is min(warps / latency, peak).
TEST(SharedBandwidth, GrowsWithWarpsUntilThePeak) {
  const config::GpuConfig config = one_sm("v100");
  for (std::uint32_t warps : {1u, 4u, 8u, 12u, 16u, 20u, 24u, 32u}) {
    const double cycles = cycles_per_line(config, "", kChaseShared, warps, fixed(0), LaneMask::all(), 1024);
    const double peak = 1, latency = config.sm.shared.latency;
    EXPECT_NEAR(warps / cycles, std::min(warps / latency, peak), 0.02 * std::min(warps / latency, peak)) << warps;
  }
}

TEST(AddressStage, OneBlockOfWarpsIsLimitedToItsInterval) {
  const config::GpuConfig config = one_sm("v100");
  const double cycles =
      cycles_per_line(config, "", "B------:R-:W0:-:S01 LDS R4, [R2] ;\n", 1, fixed(0), LaneMask::all(), 1024);
  EXPECT_NEAR(cycles, config.sm.memory_io.address_interval, 0.02);
}

}  // namespace
}  // namespace sassim::arch::test
