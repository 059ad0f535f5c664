// SPDX-License-Identifier: Apache-2.0
// Bandwidths as kernels on all SMs reach them, within 5 %. To save time a part of each chip is simulated (SMs, slices,
// channels and L2 size alike), which has that part of its bandwidths.
#include <gtest/gtest.h>

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
  expect_within(copy(kT4), 220, 0.05, "T4 report section 10");
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

}  // namespace
}  // namespace sassim::arch::test
