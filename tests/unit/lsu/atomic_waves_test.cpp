// SPDX-License-Identifier: Apache-2.0
// Atomics whose lanes meet on a word leave the L1 in waves: requests, sectors and operands as an H200 counts them
// (h200/waiting.md#reductions).
#include <gtest/gtest.h>

#include "sim/config/gpu_config.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

using isa::OpClass;
using isa::Space;

config::Sm waves() {
  config::Sm sm;
  sm.l1.atomic_waves = true;
  return sm;
}

/// What leaves for `op` on an SM whose pages are known.
std::vector<MemRequest> sent(Bench& bench, const UnitOp& op) {
  const isa::Decoded load = decoded(OpClass::load, Space::global);
  bench.result_after(make_op(load, [](int) { return 1 << 20; }));
  const std::size_t before = bench.port.sent.size();
  bench.issue(op);
  bench.drain();
  return {bench.port.sent.begin() + static_cast<std::ptrdiff_t>(before), bench.port.sent.end()};
}

TEST(AtomicWaves, EachFurtherLaneOnAWordIsARequestOfItsOwn) {
  Bench bench(waves());
  const auto reduction = decoded(OpClass::reduction, Space::global);
  // Lanes 0 to 7 on one word, 8 to 15 on the words of the next sector, 16 to 31 on two sectors of the next line.
  const auto requests = sent(bench, make_op(reduction, [](int lane) {
                               return lane < 8 ? 0 : lane < 16 ? lane * 4 : 64 + lane * 4;
                             }));
  ASSERT_EQ(requests.size(), 1u + 7 + 1);
  for (const MemRequest& r : requests) {
    if (r.address == 128) {
      EXPECT_EQ(r.sectors, 0b0011);
      EXPECT_EQ(r.partial, 0);
      EXPECT_EQ(r.data_bytes, 64u);
      EXPECT_EQ(r.atomic.operations, 16u);
    } else if (r.atomic.operations > 1) {
      EXPECT_EQ(r.sectors, 0b0011);
      EXPECT_EQ(r.partial, 0b0001) << "one word of the first sector";
      EXPECT_EQ(r.data_bytes, 64u) << "operands of several lanes travel in whole sectors";
    } else {
      EXPECT_EQ(r.sectors, 0b0001);
      EXPECT_EQ(r.data_bytes, 4u) << "a single lane's operand";
    }
  }
  EXPECT_EQ(bench.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"), 2u + 7 + 2);
  EXPECT_EQ(bench.metric("l1tex__m_l1tex2xbar_write_sectors.sum"), 2u + 7 + 2);
  EXPECT_EQ(bench.metric("l1tex__m_l1tex2xbar_write_bytes.sum"), (2u + 7 + 2) * 32);
}

TEST(AtomicWaves, CompareAndSwapGoesInHalvesOfALine) {
  auto swap = decoded(OpClass::atomic, Space::global);
  swap.compares = true;
  const auto line = [](int lane) { return static_cast<std::uint64_t>(lane) * 4; };
  Bench whole(waves()), one(waves());
  const auto halves = sent(whole, make_op(swap, line));
  ASSERT_EQ(halves.size(), 2u);
  EXPECT_EQ(halves[0].sectors | halves[1].sectors, 0b1111);
  EXPECT_EQ(halves[0].data_bytes, 128u) << "two operands for each byte of two sectors";
  EXPECT_EQ(sent(one, make_op(swap, line, LaneMask{1})).front().data_bytes, 8u);
}

TEST(AtomicWaves, ThoseThatWantAReplyTakeACycleEach) {
  const auto atomic = decoded(OpClass::atomic, Space::global);
  const auto after = [&](std::uint32_t lanes) {
    Bench bench(waves());
    const isa::Decoded load = decoded(OpClass::load, Space::global);
    bench.result_after(make_op(load, [](int) { return 1 << 20; }));
    return bench.result_after(make_op(
        atomic, [](int) { return 0; }, LaneMask{(1u << lanes) - 1}));
  };
  EXPECT_EQ(after(8), after(1) + 7);
}

TEST(AtomicWaves, WithoutThemALineIsOneRequest) {
  Bench bench;
  const auto reduction = decoded(OpClass::reduction, Space::global);
  const auto requests = sent(bench, make_op(reduction, [](int) { return 0; }));
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests.front().atomic.serial, 32u);
}

}  // namespace
}  // namespace sassim::arch::test
