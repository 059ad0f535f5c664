// SPDX-License-Identifier: Apache-2.0
// Stores that gather on their way out of the L1, and loads that wait beside the tag stage.
#include "arch/sm/units/l1/store_buffer.h"

#include <gtest/gtest.h>

#include "sim/config/gpu_config.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

using isa::OpClass;
using isa::Space;

const isa::Decoded kWordLoad = decoded(OpClass::load, Space::global);
const isa::Decoded kWordStore = decoded(OpClass::store, Space::global);

TEST(StoreBuffer, JoinsBytesOfALineAndAnswersAllItsStores) {
  StoreBuffer stores(2, 10);
  EXPECT_EQ(stores.add(0, 0b0001, {0x0000ffffu, 0}, 7, Cycle{5}), 0u);
  EXPECT_EQ(stores.add(128, 0b0001, {0xfu, 0}, 8, Cycle{6}), 0u);
  EXPECT_EQ(stores.room(), 0u);
  EXPECT_TRUE(stores.holds(0));
  EXPECT_EQ(stores.add(0, 0b0011, {0xf'ffff'0000u, 0}, 9, Cycle{8}), 1u) << "one sector was waiting already";
  EXPECT_EQ(stores.oldest_ready(), Cycle{16}) << "from the last store on";
  const MemRequest second = stores.dequeue();
  EXPECT_EQ(second.address, 128u) << "the line that was longest without a store";
  EXPECT_EQ(second.partial, 0b0001);
  EXPECT_EQ(second.bytes, (StoreBuffer::Bytes{0xfu, 0})) << "so that the L2 can keep them";
  EXPECT_EQ(stores.oldest_ready(), Cycle{18});
  const MemRequest first = stores.dequeue();
  EXPECT_EQ(first.sectors, 0b0011);
  EXPECT_EQ(first.partial, 0b0010) << "two halves make the first sector whole";
  EXPECT_EQ(first.data_bytes, 64u);
  EXPECT_TRUE(stores.empty());
  std::vector<std::uint32_t> answered;
  stores.acknowledged(first.tag, [&](std::uint32_t op) { answered.push_back(op); });
  EXPECT_EQ(answered, (std::vector<std::uint32_t>{7, 9}));
  stores.add(256, 1, {1, 0}, 4, Cycle{20});
  EXPECT_NE(stores.dequeue().tag, second.tag) << "its reply has not arrived";
}

TEST(StoreBuffer, ALineHasThePolicyOfItsLastStore) {
  StoreBuffer stores(2, 10);
  constexpr bool kEvictFirst = true;
  stores.add(0, 1, {1, 0}, 1, Cycle{1}, 0, kEvictFirst);
  stores.add(128, 1, {1, 0}, 2, Cycle{2}, 0, kEvictFirst);
  stores.add(128, 1, {2, 0}, 3, Cycle{3});
  EXPECT_TRUE(stores.dequeue().evicts_first);
  EXPECT_FALSE(stores.dequeue().evicts_first);
  stores.add(0, 1, {1, 0}, 4, Cycle{4});
  stores.add(0, 1, {2, 0}, 5, Cycle{5}, 0, kEvictFirst);
  EXPECT_TRUE(stores.dequeue().evicts_first);
}

config::Sm gathering(std::uint32_t lines) {
  config::Sm sm;
  sm.l1.store_gather.lines = lines;
  sm.l1.store_gather.hold = 6;
  sm.l1.store_interval = 2;
  return sm;
}

/// Requests that `rounds` stores of a warp make, each to the next word of the sectors of `lanes` lines of its own.
std::size_t requests(std::uint32_t store_lines, int lanes, int rounds) {
  Bench bench(gathering(store_lines));
  bench.result_after(make_op(kWordLoad, [](int) { return 1 << 20; }));  // the page is known from here on
  for (int i = 0; i < rounds; ++i)
    bench.issue(make_op(
        kWordStore,
        [=](int lane) { return static_cast<std::uint64_t>(lane) * 128 + static_cast<std::uint64_t>(i) * 4; },
        LaneMask{(2u << (lanes - 1)) - 1}));
  bench.drain();
  for (const Times& t : bench.times)
    if (t.departed) {
      EXPECT_TRUE(t.acknowledged.has_value());
    }
  EXPECT_EQ(
      bench.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
      bench.metric("l1tex__m_l1tex2xbar_write_sectors.sum") + bench.metric("sassim__l1_store_sectors_merged.sum"));
  return bench.port.count(RequestKind::store);
}

// h200/l1.md#store-merging: stores to 20 lines become one of each line, stores to 32 never meet.
TEST(StoreBuffer, GathersAsManyLinesAsItHolds) {
  EXPECT_EQ(requests(28, 20, 8), 20u);
  EXPECT_EQ(requests(28, 32, 8), 8u * 32);
  EXPECT_EQ(requests(0, 20, 8), 8u * 20) << "without it every store leaves alone";
}

TEST(StoreBuffer, AScatteredStoreTakesTwoCyclesForEachLine) {
  const auto cycles = [](config::Sm sm) {
    Bench bench(sm);
    bench.result_after(make_op(kWordLoad, [](int) { return 1 << 20; }));
    const Cycle start = bench.now;
    for (int i = 0; i < 16; ++i)
      bench.issue(make_op(kWordStore, [=](int lane) {
        return (static_cast<std::uint64_t>(i) * 32 + static_cast<std::uint64_t>(lane)) * 128;
      }));
    bench.drain();
    return (*bench.times.back().departed - start).value;
  };
  EXPECT_NEAR(static_cast<double>(cycles(gathering(28))), 16 * 32 * 2, 60);
}

}  // namespace
}  // namespace sassim::arch::test
