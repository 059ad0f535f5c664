// SPDX-License-Identifier: Apache-2.0
// The same kernel on a T4, a V100, an H200, and GPUs of Kepler, Maxwell, Pascal, Turing, Ampere and Ada. Data sheets
// decide where memory or arithmetic limits, measured latencies where every load waits for the one before it: times
// differ as the bandwidths (less what such kernels reach of them), as the FP32 rates, and as the latencies.
#include <gtest/gtest.h>

#include "tests/micro/memory_end_to_end/expect_within.h"
#include "tests/micro/memory_end_to_end/stream.h"

namespace sassim::arch::test {
namespace {

struct Sheet {
  const char* gpu;
  double gigabytes_per_second, reached, teraflops;
  std::uint32_t parts;  ///< of which one is simulated, to save time
  double bandwidth() const { return gigabytes_per_second * reached; }
};
// Reached: T4 report section 10 (220 GB/s), RRZE gpu-stream (867; A40 680), validation/measured/h200.json.xz (4462).
constexpr Sheet kT4Sheet{"t4", 320, 0.69, 8.1, 4}, kV100Sheet{"v100", 900, 0.96, 14, 8},
    kH200Sheet{"h200", 4800, 0.93, 67, 6}, kA40Sheet{"a40", 696, 0.977, 37.4, 6},
    kA100Sheet{"a100", 1555, 0.965, 19.5, 1}, kRtx4090Sheet{"rtx4090", 1008, 1, 82.6, 1};
// FP32 rates at the clocks of the V100 report's table 3.1; no one has published how fast they read.
constexpr Sheet kP100Sheet{"p100", 732, 1, 9.52, 1}, kP4Sheet{"p4", 192, 1, 7.84, 1}, kM60Sheet{"m60", 160, 1, 4.82, 1},
    kK80Sheet{"k80", 240, 1, 4.37, 1};

// FP32 rates of data sheets, at the clocks of the configurations.
constexpr Sheet kOtherSheets[] = {
    {"gtx1080", 320, 1, 8.87, 1},  {"rtx2060", 336, 1, 6.45, 1},  {"gtx1650", 128, 1, 2.98, 1},
    {"titan-v", 653, 1, 14.9, 1},  {"a100-80", 2039, 1, 19.5, 1}, {"a10", 600, 1, 31.2, 1},
    {"rtx3060", 360, 1, 12.74, 1}, {"rtx3070", 448, 1, 20.31, 1}, {"rtx3070ti", 608, 1, 21.75, 1},
    {"rtx3080", 760, 1, 29.77, 1}, {"rtx3090", 936, 1, 35.58, 1}, {"rtxa6000", 768, 1, 38.7, 1},
    {"l4", 300, 1, 30.3, 1},       {"l40", 864, 1, 90.5, 1}};

/// Nanoseconds in which the whole GPU reads a gigabyte of DRAM once.
double reading(const Sheet& sheet) {
  return 1e9 / (sheet.parts * gigabytes_per_second(part_of(sheet.gpu, sheet.parts), {.bytes = kGiB}, 3, 9));
}

/// Nanoseconds in which the whole GPU executes 10^12 FP32 operations, of independent chains of FFMA, by the rate of an
/// SM.
double multiplying(const Sheet& sheet) {
  const auto config = gpu_config(sheet.gpu, {"sm.count=2"});
  constexpr std::uint64_t kFew = 10, kMany = 40, kLines = 64, kWarps = 16;
  std::string text = "loop:\n";
  for (std::uint64_t i = 0; i < kLines; ++i) {
    const std::string chain = std::to_string(8 + 2 * (i % 8));
    text += "B------:R-:W-:-:S01 FFMA R" + chain + ", R2.reuse, R3.reuse, R" + chain + " ;\n";
  }
  text += "B------:R-:W-:-:S05 @P0 BRA loop ;\nB------:R-:W-:-:S05 EXIT ;\n";
  const auto cycles = [&](std::uint64_t trips) {
    SassKernel kernel(text, config.arch);
    kernel.loop("loop", trips).warps(kWarps).blocks(config.sm.count);
    const auto source = kernel.source();
    Gpu gpu(config);
    return static_cast<double>(gpu.run(*source).cycles.value);
  };
  const double operations = (kMany - kFew) * kLines * kWarps * kWarpSize * 2;
  const double per_cycle = operations / (cycles(kMany) - cycles(kFew)) * gpu_config(sheet.gpu).sm.count;
  return 1e12 / (per_cycle * static_cast<double>(config.clock.sm) * 1e-9);
}

/// Nanoseconds of a load out of the L2 that the next one waits for.
double chasing(const Sheet& sheet) {
  const auto config = two_sms(sheet.gpu);
  return chase_ring(config, Through::l2, 512, 128) / (static_cast<double>(config.clock.sm) * 1e-9);
}

TEST(TheSameKernelOnThreeGpus, TakesTimeByBandwidthWhereItReadsDram) {
  const double v100 = reading(kV100Sheet);
  expect_within(v100 / reading(kT4Sheet), kT4Sheet.bandwidth() / kV100Sheet.bandwidth(), 0.05, "T4");
  expect_within(v100 / reading(kH200Sheet), kH200Sheet.bandwidth() / kV100Sheet.bandwidth(), 0.05, "H200");
  expect_within(v100 / reading(kA40Sheet), kA40Sheet.bandwidth() / kV100Sheet.bandwidth(), 0.05, "A40");
}

TEST(TheSameKernelOnThreeGpus, TakesTimeByTheFp32RateWhereItMultiplies) {
  const double v100 = multiplying(kV100Sheet);
  expect_within(v100 / multiplying(kT4Sheet), kT4Sheet.teraflops / kV100Sheet.teraflops, 0.05, "T4");
  for (const Sheet& sheet : {kH200Sheet, kA40Sheet, kA100Sheet, kRtx4090Sheet, kP100Sheet, kP4Sheet, kM60Sheet})
    expect_within(v100 / multiplying(sheet), sheet.teraflops / kV100Sheet.teraflops, 0.05, sheet.gpu);
  for (const Sheet& sheet : kOtherSheets)
    expect_within(v100 / multiplying(sheet), sheet.teraflops / kV100Sheet.teraflops, 0.05, sheet.gpu);
}

// V100 report table 3.1, T4 report section 5, RRZE gpu-latency, h200/memory.md#l2-and-dram, arXiv:2501.12084: cycles of
// the clocks that the configurations have.
TEST(TheSameKernelOnThreeGpus, TakesTimeByLatencyWhereLoadsWaitForLoads) {
  const double v100 = chasing(kV100Sheet), measured = 212.1 / 1.38;
  expect_within(v100 / chasing(kT4Sheet), measured / (188 / 1.59), 0.05, "T4");
  expect_within(v100 / chasing(kH200Sheet), measured / (280 / 1.98), 0.05, "H200: with five times the bandwidth");
  expect_within(v100 / chasing(kA40Sheet), measured / (250.4 / 1.74), 0.05, "A40");
  expect_within(v100 / chasing(kRtx4090Sheet), measured / (273 / 2.52), 0.05, "RTX 4090");
  expect_within(v100 / chasing(kP100Sheet), measured / (234 / 1.328), 0.05, "P100");
  expect_within(v100 / chasing(kP4Sheet), measured / (216 / 1.531), 0.05, "P4");
  expect_within(v100 / chasing(kM60Sheet), measured / (207 / 1.177), 0.05, "M60");
  expect_within(v100 / chasing(kK80Sheet), measured / (200 / 0.875), 0.05, "K80");
}

}  // namespace
}  // namespace sassim::arch::test
