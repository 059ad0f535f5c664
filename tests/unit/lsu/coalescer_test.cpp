// SPDX-License-Identifier: Apache-2.0
// Lines, sectors and bytes of accesses by all lanes to neighbouring words, against what each lane accesses.
#include "arch/sm/units/l1/coalescer.h"

#include <gtest/gtest.h>

#include <map>

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
