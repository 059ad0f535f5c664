// SPDX-License-Identifier: Apache-2.0
// Bandwidths as kernels on all SMs reach them, within 5 %. To save time a part of each chip is simulated (SMs, slices,
// channels and L2 size alike), which has that part of its bandwidths.
#include <gtest/gtest.h>

#include "tests/micro/memory_end_to_end/chase.h"
#include "tests/micro/memory_end_to_end/expect_within.h"
#include "tests/micro/memory_end_to_end/stream.h"

namespace sassim::arch::test {
namespace {

struct Part {
  const char* gpu;
  std::uint32_t of;  ///< how many such parts make the chip
};
constexpr Part kT4{"t4", 4}, kV100{"v100", 8}, kH200{"h200", 6};

double bandwidth(const Part& part, Stream stream, std::uint64_t few, std::uint64_t many) {
  return part.of * gigabytes_per_second(part_of(part.gpu, part.of), stream, few, many);
}

double l2(const Part& part, std::uint64_t bytes = 2 * kMiB) {
  return bandwidth(part, {.bytes = bytes / part.of / 4096 * 4096}, 6, 14);
}
double copy(const Part& part) { return bandwidth(part, {.bytes = kGiB, .copy = true}, 3, 9); }
double read(const Part& part) { return bandwidth(part, {.bytes = kGiB}, 3, 9); }

TEST(EndToEndBandwidth, OfTheL2) {
  expect_within(l2(kT4), 1270, 0.05, "T4 report table 5");
  expect_within(l2(kV100), 2440, 0.05, "RRZE gpu-cache, 2 MiB");
  // As much as all SMs read in a trip: loads of the same lines by SMs of a GPC would become one.
  expect_within(l2(kH200, 9 * kMiB), 9846, 0.05, "validation/measured/h200.json.xz, l2.bw");
}

TEST(EndToEndBandwidth, OfDram) {
  // Written lines share fewer check bits here than on a T4 (validation/measured/t4-v100.md#check-bits-in-gddr6).
  expect_within(copy(kT4), 220, 0.06, "T4 report section 10");
  // Without the beginning and the end of a launch, as these; with them the V100 report has 750 GB/s (dram.bw).
  expect_within(copy(kV100), 809, 0.03, "RRZE gpu-stream, scale");
  expect_within(read(kV100), 867, 0.04, "RRZE gpu-stream, read");
  expect_within(copy(kH200), 3980, 0.05, "validation/measured/h200.json.xz, dram.bw.blocks1 and .blocks2");
  expect_within(read(kH200), 4462, 0.05, "validation/measured/h200.json.xz, dram.read");
}

// Requests that find no credit must go on when one comes back.
TEST(EndToEndBandwidth, AFewCreditsAreEnough) {
  for (const char* credits : {"memory.crossbar.credits=1", "memory.crossbar.credits=3"}) {
    const auto config = gpu_config("v100", {"sm.count=2", credits});
    EXPECT_EQ(run_stream(config, {.bytes = kMiB, .copy = true}).warp_instructions, 2u * 2 * 16 * (4 * 9 + 1));
  }
}

// The size of the L2, as a chase of dependent loads finds it, and the bandwidth of shared memory.

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
