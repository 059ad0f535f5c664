// SPDX-License-Identifier: Apache-2.0
#include "arch/common/sm_port.h"

#include <gtest/gtest.h>

#include <stdexcept>

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
  EXPECT_FALSE(port.can_send(Cycle{10 + flits - 1}, 0));
  EXPECT_TRUE(port.can_send(Cycle{10 + flits}, 0));
  EXPECT_EQ(port.ready_at(Cycle{10}), Cycle{10 + flits});
}

TEST(SmPort, WithoutCreditsItWaitsForOne) {
  SmPort port(SmId(0), wires());
  port.send(load(), Cycle{0});
  port.send(load(), Cycle{1});
  EXPECT_EQ(port.ready_at(Cycle{2}), kNever);
  port.return_credit(Cycle{50});
  port.settle(Cycle{0});
  EXPECT_EQ(port.ready_at(Cycle{2}), Cycle{50});
  EXPECT_FALSE(port.can_send(Cycle{49}, 0));
  EXPECT_TRUE(port.can_send(Cycle{50}, 0));
}

TEST(SmPort, RepliesShareTheWireInOrderOfTime) {
  SmPort port(SmId(0), wires());
  port.send(load(), Cycle{0});
  port.send(load(), Cycle{1});
  MemReply late = answer(port.sent()[0], Cycle{100}), early = answer(port.sent()[1], Cycle{100});
  late.data_bytes = early.data_bytes = 128;  // 5 flits, at 2 flits a cycle
  late.source = 2;
  early.source = 1;
  port.deliver(late);
  port.deliver(early);
  port.settle(Cycle{0});
  EXPECT_EQ(port.front(Cycle{102}), nullptr);
  ASSERT_NE(port.front(Cycle{103}), nullptr);
  EXPECT_EQ(port.front(Cycle{103})->source, 1);
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

}  // namespace
}  // namespace sassim::arch
