// SPDX-License-Identifier: Apache-2.0
// Lines, sectors and bytes of accesses by all lanes to neighbouring words, against what each lane accesses.
#include "arch/sm/units/l1/coalescer.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "arch/sm/units/l1/tag_bank.h"
#include "sim/config/gpu_config.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

struct Expected {
  std::uint32_t sectors = 0, lanes = 0;
  ByteMask bytes{};
};

std::map<std::uint64_t, Expected> lines_of(std::uint64_t first, std::uint32_t size, const config::L1Config& l1) {
  std::map<std::uint64_t, Expected> lines;
  for (std::uint64_t lane = 0; lane < kWarpSize; ++lane)
    for (std::uint64_t byte = first + lane * size; byte < first + (lane + 1) * size; ++byte) {
      Expected& line = lines[byte / l1.line * l1.line];
      const std::uint64_t at = byte % l1.line;
      line.sectors |= 1u << at / l1.sector;
      line.bytes[at / 64] |= 1ull << at % 64;
      line.lanes += byte == first + lane * size;
    }
  return lines;
}

void check(isa::OpClass kind, std::uint64_t first, std::uint32_t size) {
  SCOPED_TRACE(testing::Message() << size << " bytes from " << first);
  const config::Sm sm;
  const auto instruction = decoded(kind, isa::Space::global, static_cast<std::uint8_t>(size));
  LineAccesses found;
  Coalescer(sm.l1, sm.shared)
      .coalesce(make_op(instruction, [=](int lane) { return first + static_cast<std::uint64_t>(lane) * size; }), size,
                found, true);
  const auto lines = lines_of(first, size, sm.l1);
  ASSERT_EQ(found.count, lines.size());
  for (std::uint32_t i = 0; i < found.count; ++i) {
    ASSERT_TRUE(lines.contains(found.lines[i].address)) << found.lines[i].address;
    const Expected& line = lines.at(found.lines[i].address);
    EXPECT_EQ(found.lines[i].sectors, line.sectors);
    EXPECT_EQ(found.lines[i].operations, line.lanes);
    EXPECT_EQ(found.bytes[i], line.bytes);
  }
}

TEST(Coalescer, AllLanesOnNeighbouringWords) {
  for (const isa::OpClass kind : {isa::OpClass::load, isa::OpClass::store})
    for (const std::uint32_t size : {1u, 2u, 4u, 8u, 16u})
      for (const std::uint64_t word : {0u, 1u, 3u, 5u, 8u, 13u, 31u}) check(kind, 4096 + word * size, size);
}

/// Rows of `row` bytes, each in a line of its own, that a copy puts `pitch` bytes apart: which of them are split.
std::vector<bool> split_rows(std::uint64_t row, std::uint64_t pitch) {
  const config::Sm sm;
  auto instruction = decoded(isa::OpClass::async_copy, isa::Space::global, 16);
  instruction.bypasses_l1 = true;
  const auto from = [=](int lane) {
    const auto byte = 16 * static_cast<std::uint64_t>(lane);
    return 4096 + byte / row * 128 + byte % row;
  };
  UnitOp op = make_op(instruction, from);
  for (int lane = 0; lane < static_cast<int>(kWarpSize); ++lane) {
    const auto byte = 16 * static_cast<std::uint64_t>(lane), to = byte / row * pitch + byte % row;
    op.copy_shifts.set(static_cast<std::size_t>(lane), static_cast<std::uint32_t>((to - from(lane)) / 16 & 15));
  }
  LineAccesses found;
  Coalescer(sm.l1, sm.shared).coalesce(op, 16, found);
  std::vector<bool> split;
  for (std::uint32_t i = 0; i < found.count; ++i) split.push_back(found.lines[i].split);
  return split;
}

TEST(Coalescer, ACopyIsSplitWhereARowGoesToTwoLinesOfSharedMemory) {
  EXPECT_EQ(split_rows(128, 128), (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(split_rows(128, 144), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(split_rows(64, 80), (std::vector<bool>{false, true, false, true, false, false, true, false}))
      << "rows at 0, 80, 160, 240, ...";
  EXPECT_EQ(split_rows(64, 64), std::vector<bool>(8, false));
  EXPECT_EQ(split_rows(32, 48), std::vector<bool>(16, false)) << "a sector is sent once";
}

}  // namespace
}  // namespace sassim::arch::test

// The L1's throughput over the stride of a warp, against an H200 (gpu-benches by RRZE, gpu-strides/h200.txt).
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
