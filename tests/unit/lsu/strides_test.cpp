// SPDX-License-Identifier: Apache-2.0
// The L1's throughput over the stride of a warp, against an H200 (gpu-benches by RRZE, gpu-strides/h200.txt).
#include <gtest/gtest.h>

#include <vector>

#include "arch/sm/units/l1/coalescer.h"
#include "arch/sm/units/l1/tag_bank.h"
#include "sim/config/gpu_config.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

/// That benchmark's loads: 32 warps, threads modulo 128 at `stride` elements, each load at eight offsets.
double cycles_per_load(std::uint64_t element, std::uint64_t stride) {
  config::Sm sm;
  sm.memory_io.accept_interval = 1;
  Bench bench(sm);
  const auto load = decoded(isa::OpClass::load, isa::Space::global, static_cast<std::uint8_t>(element));
  constexpr std::uint64_t kOffsets[] = {0, 4, 8, 12, 20, 16, 24, 28};
  const auto round = [&] {
    for (std::uint64_t offset : kOffsets)
      for (std::uint64_t warp = 0; warp < 32; ++warp)
        bench.issue(make_op(load, [&](int lane) {
          return ((warp % 4 * 32 + static_cast<std::uint64_t>(lane)) * stride + offset) * element;
        }));
  };
  round();
  bench.drain();
  const std::uint64_t start = bench.now.value;
  const int rounds = 2;
  for (int i = 0; i < rounds; ++i) round();
  return static_cast<double>(bench.times.back().accepted.value - start) / (rounds * 8 * 32);
}

TEST(Strides, FourByteLoadsAsOnAnH200) {
  const double measured[] = {1.01, 1.01, 2.01, 1.63, 4.01, 2.00, 2.32, 2.41,
                             8.0,  3.00, 3.16, 3.41, 4.01, 4.10, 4.25, 4.60};
  for (std::uint64_t stride = 0; stride < std::size(measured); ++stride)
    EXPECT_NEAR(cycles_per_load(4, stride), measured[stride], 0.05 * measured[stride]) << "stride " << stride;
}

TEST(Strides, EightByteLoadsAsOnAnH200) {
  const double measured[] = {2.01, 2.01, 4.01, 2.32, 8.0, 3.16, 4.01, 4.32, 16.0, 5.3, 5.5, 6.0, 8.0, 7.0, 7.0, 8.0};
  for (std::uint64_t stride = 0; stride < std::size(measured); ++stride)
    EXPECT_NEAR(cycles_per_load(8, stride), measured[stride], 0.1 * measured[stride]) << "stride " << stride;
}

// validation/measured/h200/l1.md#l1-replacement: which lines an H200 cannot look up in the cycle in which it looks up
// line 0, of the first 64, and for each higher bit.
TEST(Strides, LinesMeetInTheBanksOfAnH200) {
  const std::vector<std::uint64_t> measured = {5, 10, 15, 19, 22, 25, 28, 33, 36, 43, 46, 50, 55, 56, 61};
  const TagBanks tag_bank(config::L1Config().tag_masks, 4);
  std::vector<std::uint64_t> meet;
  for (std::uint64_t line = 1; line < 64; ++line)
    if (tag_bank(line) == tag_bank(0)) meet.push_back(line);
  EXPECT_EQ(meet, measured);
  const std::uint32_t of_bit[] = {3, 1, 2, 3, 2, 1, 2, 1, 3, 1, 3, 2, 1, 3, 2, 3, 2};
  for (std::uint32_t bit = 4; bit <= 20; ++bit) EXPECT_EQ(tag_bank(std::uint64_t{1} << bit), of_bit[bit - 4]) << bit;
}

TEST(Strides, MasksBeyondTheBanksHaveNoEffect) {
  const TagBanks few({1, 2}, 4), more({1, 2, 4}, 4), odd({1, 2, 4}, 5);
  for (std::uint64_t line = 0; line < 64; ++line) {
    EXPECT_EQ(few(line), line % 4);
    EXPECT_EQ(more(line), line % 4);
    EXPECT_EQ(odd(line), line % 8 % 5);
  }
}

/// Loads of two halves of a line that begin `apart` bytes from each other, on a data stage of `width` bytes per cycle.
double cycles_per_pair(std::uint32_t width, std::uint64_t apart, std::uint32_t tags = 4) {
  config::Sm sm;
  sm.l1.tags_per_cycle = tags;
  sm.memory_io.accept_interval = 1;
  sm.l1.bytes_per_cycle = width;
  Bench bench(sm);
  const auto load = decoded(isa::OpClass::load, isa::Space::global);
  const auto op =
      make_op(load, [&](int lane) { return static_cast<std::uint64_t>(lane % 16 * 4) + (lane < 16 ? 0 : apart); });
  bench.result_after(op);
  const std::uint64_t start = bench.now.value;
  constexpr int kLoads = 128;
  for (int i = 0; i < kLoads; ++i) bench.issue(op);
  return static_cast<double>(bench.times.back().accepted.value - start) / kLoads;
}

// Halves that lie in the same banks take a pass each; a data stage half as wide as the banks takes two cycles for a
// pass.
TEST(Strides, ANarrowDataStageTakesTheLongerForEveryPass) {
  EXPECT_NEAR(cycles_per_pair(128, 64), 1, 0.1);
  EXPECT_NEAR(cycles_per_pair(128, 128), 2, 0.2);
  EXPECT_NEAR(cycles_per_pair(64, 64), 2, 0.2);
  EXPECT_NEAR(cycles_per_pair(64, 128), 4, 0.4);
}

// validation/measured/t4-v100.md: a T4's loads of two lines take no longer if their lanes lie in all banks.
TEST(Strides, ANarrowDataStageDoesNotCountLines) {
  EXPECT_NEAR(cycles_per_pair(64, 192, 1), 2, 0.2) << "two lines, all banks once";
  EXPECT_NEAR(cycles_per_pair(64, 128, 1), 4, 0.4) << "two lines, half of the banks twice";
}

TEST(Strides, AlignedWarpsTakeFourLinesPerPass) {
  // validation/measured: lanes k words apart cost 1 2 1 4 2 2 2 8 3 3 3 4 4 4 4 16 cycles for k = 1 .. 16
  const std::uint32_t measured[] = {1, 2, 1, 4, 2, 2, 2, 8, 3, 3, 3, 4, 4, 4, 4, 16};
  const config::Sm sm;
  const Coalescer coalescer(sm.l1, sm.shared);
  const auto load = decoded(isa::OpClass::load, isa::Space::global);
  LineAccesses accesses;
  for (std::uint64_t k = 1; k <= std::size(measured); ++k) {
    coalescer.coalesce(make_op(load, [&](int lane) { return static_cast<std::uint64_t>(lane) * k * 4; }), 4, accesses);
    EXPECT_EQ(std::max<std::uint32_t>(accesses.tag_passes, accesses.data.passes), measured[k - 1]) << k;
  }
}

}  // namespace
}  // namespace sassim::arch::test
