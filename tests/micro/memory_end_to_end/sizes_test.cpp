// SPDX-License-Identifier: Apache-2.0
// The size of the L2, as a chase of dependent loads finds it, and the bandwidth of shared memory.
#include <gtest/gtest.h>

#include "tests/micro/memory_end_to_end/chase.h"
#include "tests/micro/memory_end_to_end/expect_within.h"

namespace sassim::arch::test {
namespace {

TEST(EndToEndSizes, AChaseFindsTheL2) {
  for (const char* name : {"t4", "v100"}) {
    const auto config = two_sms(name);
    const std::uint64_t size = config.memory.l2.size;
    const auto mean_of = [&](std::uint64_t bytes) { return chase_ring(config, Through::l2, bytes / 128, 128); };
    const double small = mean_of(size / 16), inside = mean_of(size * 3 / 4), beyond = mean_of(size * 3 / 2);
    std::printf("%s: %.0f, %.0f within the L2, %.0f beyond it\n", name, small, inside, beyond);
    EXPECT_NEAR(inside, small, 0.03 * small) << name;
    EXPECT_GT(beyond, 1.3 * small) << name;
  }
}

// V100 report, section 3.6: every thread loads from shared memory, computes, and stores the result, in as many blocks
// as the GPU takes. 12080 GiB/s are 117.6 of 128 bytes per cycle and SM.
TEST(EndToEndSizes, SharedMemoryBandwidthOfAV100) {
  const auto config = gpu_config("v100", {"sm.count=1"});
  const auto cycles = [&](std::uint64_t trips) {
    SassKernel kernel(
        "loop:\nB-1----:R-:W0:-:S01 LDS R8, [R2] ;\nB------:R-:W-:-:S04 IADD3 R0, R0, 0x1, RZ ;\n"
        "B------:R-:W-:Y:S04 ISETP.GE.AND P0, PT, R0, R1, PT ;\nB0-----:R-:W-:Y:S04 FADD R8, R8, R3 ;\n"
        "B------:R1:W-:-:S04 STS [R2], R8 ;\nB------:R-:W-:-:S05 @P0 BRA loop ;\nEXIT ;\n",
        config.arch);
    kernel.loop("loop", trips)
        .warps(32)
        .blocks(2)
        .shared(16384)
        .addresses([](std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
          return warp * 128 + static_cast<std::uint64_t>(lane) * 4;
        });
    const auto source = kernel.source();
    Gpu gpu(config);
    return static_cast<double>(gpu.run(*source).cycles.value);
  };
  const double bytes = 2.0 * 2 * 32 * 64 * 128;  // of 64 trips
  const double per_cycle = bytes / (cycles(96) - cycles(32));
  const double chip = per_cycle * 80 * static_cast<double>(config.clock.sm) / (1024.0 * 1024 * 1024);
  std::printf("%.1f bytes per cycle, %.0f GiB/s\n", per_cycle, chip);
  expect_within(chip, 12080, 0.05, "V100 report table 3.1");
}

}  // namespace
}  // namespace sassim::arch::test
