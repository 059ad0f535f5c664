// SPDX-License-Identifier: Apache-2.0
#include "arch/network/sm_port.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "arch/network/link.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

config::CrossbarConfig wires() {
  config::CrossbarConfig config;
  config.request_bytes_per_cycle = 32;
  config.reply_bytes_per_cycle = 64;
  config.flit = 32;
  config.header = 8;
  config.credits = 2;
  return config;
}

MemRequest load() { return {.sectors = 1}; }
MemRequest store() { return {.kind = RequestKind::store, .sectors = 15, .data_bytes = 128}; }

TEST(SmPort, AStoreHoldsTheWireForItsFlits) {
  SmPort port(SmId(3), wires());
  port.send(store(), Cycle{10});
  const std::uint64_t flits = (8 + 128 + 31) / 32;
  EXPECT_EQ(port.sent()[0].time, Cycle{10 + flits});
  EXPECT_EQ(port.sent()[0].sm, SmId(3));
  EXPECT_EQ(port.sent()[0].from, Endpoint::of_sm(SmId(3)));
  EXPECT_FALSE(port.can_send(Cycle{10 + flits - 1}, 0));
  EXPECT_TRUE(port.can_send(Cycle{10 + flits}, 0));
  EXPECT_EQ(port.ready_at(Cycle{10}, 0), Cycle{10 + flits});
}

TEST(SmPort, WithoutCreditsItWaitsForOne) {
  SmPort port(SmId(0), wires());
  port.send(load(), Cycle{0});
  port.send(load(), Cycle{1});
  EXPECT_EQ(port.ready_at(Cycle{2}, 0), kNever);
  port.return_credit({Cycle{50}});
  port.settle(Cycle{0});
  EXPECT_EQ(port.ready_at(Cycle{2}, 0), Cycle{50});
  EXPECT_FALSE(port.can_send(Cycle{49}, 0));
  EXPECT_TRUE(port.can_send(Cycle{50}, 0));
}

TEST(SmPort, WithoutWriteCreditsOnlyStoresWait) {
  config::CrossbarConfig config = wires();
  config.credits = 100;
  config.write_credits = 6;
  SmPort port(SmId(0), config);
  port.send(store(), Cycle{0});
  EXPECT_EQ(port.ready_at(Cycle{10}, 128), Cycle{10});
  port.send(store(), Cycle{10});  // takes the last credits, and two more
  EXPECT_FALSE(port.can_send(Cycle{20}, 128));
  EXPECT_EQ(port.ready_at(Cycle{20}, 128), kNever);
  EXPECT_TRUE(port.can_send(Cycle{20}, 0)) << "loads do not need them";
  port.return_credit({Cycle{60}, SmId(0), 4});
  port.return_credit({Cycle{50}, SmId(0), 1});
  port.settle(Cycle{0});
  EXPECT_EQ(port.ready_at(Cycle{20}, 128), Cycle{60})
      << "the first credit makes up for what was overdrawn in part only";
  EXPECT_FALSE(port.can_send(Cycle{59}, 128));
  EXPECT_TRUE(port.can_send(Cycle{60}, 128));
}

TEST(SmPort, BarriersOfFencesAreCountedUntilTheMemoryHasTakenThem) {
  SmPort port(SmId(3), wires());
  port.fence(2, 1);
  port.fence(5, 0);
  EXPECT_EQ(port.near_barriers(), 7u);
  EXPECT_EQ(port.far_barriers(), 1u);
  port.clear_sent();
  EXPECT_EQ(port.near_barriers() + port.far_barriers(), 0u);
}

TEST(SmPort, RepliesShareTheWireInOrderOfTime) {
  SmPort port(SmId(0), wires());
  port.send(load(), Cycle{0});
  port.send(load(), Cycle{1});
  MemReply late = answer(port.sent()[0], Cycle{100}), early = answer(port.sent()[1], Cycle{100});
  late.data_bytes = early.data_bytes = 128;  // 5 flits, at 2 flits a cycle
  late.from = Endpoint::of_slice(SliceId(2));
  early.from = Endpoint::of_slice(SliceId(1));
  port.deliver(late);
  port.deliver(early);
  port.settle(Cycle{0});
  EXPECT_EQ(port.front(Cycle{102}), nullptr);
  ASSERT_NE(port.front(Cycle{103}), nullptr);
  EXPECT_EQ(port.front(Cycle{103})->from, Endpoint::of_slice(SliceId(1)));
  port.pop();
  EXPECT_EQ(port.next_reply(), Cycle{105}) << "10 flits in 5 cycles";
  port.pop();
  EXPECT_TRUE(port.idle());
}

TEST(SmPort, ConservationNoticesALostReply) {
  SmPort port(SmId(0), wires());
  port.send(load(), Cycle{0});
  EXPECT_THROW(port.check_conservation(), std::logic_error);
}

// What messages take of a wire.

TEST(PacketBytes, ByteMasksHaveAFlitOfTheirOwn) {
  config::CrossbarConfig config;
  config.flit = 32;
  config.header = 8;
  config.whole_store_header = false;
  const Packets h200(config);
  config.whole_store_header = true;
  const Packets others(config);
  MemRequest store{.kind = RequestKind::store, .sectors = 0b1111, .data_bytes = 128};
  EXPECT_EQ(h200.bytes(store), 4 * 32u);
  EXPECT_EQ(others.bytes(store), 5 * 32u);
  store.partial = 0b0001;
  EXPECT_EQ(h200.bytes(store), 5 * 32u);
  EXPECT_EQ(h200.bytes(MemRequest{.kind = RequestKind::reduction, .sectors = 1, .data_bytes = 4}), 32u);
  EXPECT_EQ(h200.bytes(MemRequest{.kind = RequestKind::reduction, .sectors = 1, .data_bytes = 32}), 2 * 32u);
  EXPECT_EQ(h200.bytes(MemRequest{.kind = RequestKind::load, .sectors = 15}), 32u);
}

}  // namespace
}  // namespace sassim::arch
