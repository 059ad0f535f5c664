// SPDX-License-Identifier: Apache-2.0
// Bandwidths as kernels on all SMs reach them, within 5 %. A quarter of each chip is simulated: SMs, slices, channels
// and L2 size, hence a quarter of its bandwidths.
#include <gtest/gtest.h>

#include "tests/micro/memory_end_to_end/stream.h"

namespace sassim::arch::test {
namespace {

config::GpuConfig quarter(const std::string& name, const std::vector<std::string>& overrides = {}) {
  config::GpuConfig config = gpu_config(name, overrides);
  config.sm.count /= 4;
  config.memory.l2.slices /= 4;
  config.memory.l2.size /= 4;
  config.memory.dram.channels /= 4;
  return config;
}

void expect_within(double value, double expected, double tolerance, const char* what) {
  EXPECT_NEAR(value, expected, expected * tolerance) << what;
}

double l2(const char* gpu) { return 4 * gigabytes_per_second(quarter(gpu), {.bytes = 512 * kKiB}, 8, 24); }
double copy(const char* gpu) { return 4 * gigabytes_per_second(quarter(gpu), {.bytes = kGiB, .copy = true}, 4, 16); }

TEST(EndToEndBandwidth, OfTheL2) {
  expect_within(l2("t4"), 1270, 0.05, "T4 report table 5");
  expect_within(l2("v100"), 2155, 0.05, "T4 report table 5");
  expect_within(l2("h200"), 8672, 0.05, "validation/hardware/h200.json, l2.bw");
}

TEST(EndToEndBandwidth, OfDram) {
  expect_within(copy("t4"), 220, 0.05, "T4 report section 10");
  expect_within(copy("v100"), 750, 0.05, "V100 report table 3.1");
}

// Requests that find no credit must go on when one comes back.
TEST(EndToEndBandwidth, AFewCreditsAreEnough) {
  for (const char* credits : {"memory.crossbar.credits=1", "memory.crossbar.credits=3"}) {
    const auto config = gpu_config("v100", {"sm.count=2", credits});
    EXPECT_EQ(run_stream(config, {.bytes = kMiB, .copy = true}).warp_instructions, 2u * 2 * 16 * (4 * 9 + 1));
  }
}

}  // namespace
}  // namespace sassim::arch::test
