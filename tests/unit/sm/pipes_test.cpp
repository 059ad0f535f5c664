// SPDX-License-Identifier: Apache-2.0
// Inputs of execution units, the way to the memory stage, and the queues that the parts are made of.
#include <gtest/gtest.h>

#include <array>

#include "arch/common/ring.h"
#include "arch/common/timing_wheel.h"
#include "arch/sm/common/data_stage.h"
#include "arch/sm/common/event_queue.h"
#include "arch/sm/common/port_clients.h"
#include "arch/sm/memory/memory_queue.h"
#include "arch/sm/warps/pipe.h"
#include "sim/config/gpu_config.h"
#include "tests/support/fixed_port.h"

namespace sassim::arch {
namespace {

TEST(Occupied, RefusesFromToAndCountsEveryCycleOnce) {
  Occupied input;
  input.refuse(Cycle(10), Cycle(14));
  EXPECT_FALSE(input.busy(Cycle(9)));
  EXPECT_TRUE(input.busy(Cycle(10)));
  EXPECT_TRUE(input.busy(Cycle(13)));
  EXPECT_FALSE(input.busy(Cycle(14)));
  EXPECT_EQ(input.before(Cycle(12)), 2u);
  EXPECT_EQ(input.before(Cycle(30)), 4u);
  input.refuse(Cycle(20), kNever);
  input.release(Cycle(25));
  EXPECT_FALSE(input.busy(Cycle(25)));
  EXPECT_EQ(input.before(Cycle(30)), 9u);
}

struct PipeOfItsOwn {
  explicit PipeOfItsOwn(std::uint32_t queue) { pipe.connect(unit, queue); }
  Unit unit;
  Pipe pipe;
};

TEST(Pipe, WithoutAQueueTheInputIsBusyForTheInterval) {
  PipeOfItsOwn own(0);
  Pipe& pipe = own.pipe;
  EXPECT_EQ(pipe.occupy(Cycle(10), 0, 2), Cycle(10));
  EXPECT_TRUE(pipe.input().busy(Cycle(11)));
  EXPECT_FALSE(pipe.input().busy(Cycle(12)));
  EXPECT_EQ(pipe.occupy(Cycle(12), 3, 2), Cycle(15)) << "held in Allocate";
  EXPECT_TRUE(pipe.input().busy(Cycle(16)));
  EXPECT_FALSE(pipe.input().busy(Cycle(17)));
}

TEST(Pipe, AQueueTakesAsManyAsItHoldsBeyondTheOneThatRuns) {
  PipeOfItsOwn own(2);
  Pipe& pipe = own.pipe;
  EXPECT_EQ(pipe.occupy(Cycle(10), 0, 16), Cycle(10));
  EXPECT_FALSE(pipe.input().busy(Cycle(11)));
  EXPECT_EQ(pipe.occupy(Cycle(11), 0, 16), Cycle(26));
  EXPECT_FALSE(pipe.input().busy(Cycle(12)));
  EXPECT_EQ(pipe.occupy(Cycle(12), 0, 16), Cycle(42));
  EXPECT_TRUE(pipe.input().busy(Cycle(13))) << "two wait";
  EXPECT_TRUE(pipe.input().busy(Cycle(25)));
  EXPECT_FALSE(pipe.input().busy(Cycle(26))) << "the second has started";
}

TEST(Pipe, BlocksThatShareAUnitTakeTurns) {
  Unit unit;
  Pipe a, b;
  a.connect(unit, 2);
  b.connect(unit, 2);
  EXPECT_EQ(a.occupy(Cycle(0), 0, 16), Cycle(0));
  EXPECT_EQ(b.occupy(Cycle(1), 0, 16), Cycle(16));
  EXPECT_EQ(a.occupy(Cycle(2), 0, 16), Cycle(32));
}

config::MemoryIo memory_io() {
  config::MemoryIo io;
  io.pipeline = 9;
  io.vector_address = 2;
  return io;
}

TEST(MemoryQueue, TheAddressStagePassesOneEveryInterval) {
  MemoryQueue queue(memory_io(), 3, memory_io().pipeline);
  EXPECT_EQ(queue.ready_at(), kNever);
  queue.push(false, 4, Cycle(10)).token = {0, 1};
  EXPECT_EQ(queue.ready_at(), Cycle(19));
  queue.push(true, 4, Cycle(11)).token = {0, 2};
  queue.pop(Cycle(19));
  EXPECT_EQ(queue.front().token, OpToken(0, 2));
  EXPECT_EQ(queue.ready_at(), Cycle(23)) << "an interval behind the first, later than its own 22";
  queue.pop(Cycle(30));
  EXPECT_TRUE(queue.empty());
  queue.push(true, 4, Cycle(40));
  EXPECT_EQ(queue.ready_at(), Cycle(51)) << "a vector address takes longer";
}

TEST(MemoryQueue, IsFullUntilSomethingIsAccepted) {
  MemoryQueue queue(memory_io(), 3, memory_io().pipeline);
  for (const std::uint64_t at : {0, 1, 2}) {
    EXPECT_FALSE(queue.input().busy(Cycle(at)));
    queue.push(false, 4, Cycle(at));
  }
  EXPECT_TRUE(queue.input().busy(Cycle(3)));
  queue.pop(Cycle(9));
  EXPECT_FALSE(queue.input().busy(Cycle(9)));
  EXPECT_EQ(queue.input().before(Cycle(20)), 6u);
}

TEST(MemoryQueue, OnePopACycle) {
  MemoryQueue queue(memory_io(), 3, memory_io().pipeline);
  queue.push(false, 0, Cycle(0));
  queue.push(false, 0, Cycle(0));
  queue.pop(Cycle(9));
  EXPECT_EQ(queue.ready_at(), Cycle(10));
}

TEST(TimingWheel, NearAndFarEventsComeInOrderOfTimeThenOfAdding) {
  TimingWheel<int> wheel;
  EXPECT_EQ(wheel.next(), kNever);
  wheel.add(Cycle(1000), 1);  // beyond the ring
  wheel.add(Cycle(800), 6);
  wheel.add(Cycle(7), 2);
  wheel.add(Cycle(7), 3);
  std::vector<std::pair<std::uint64_t, int>> seen;
  for (int steps = 0; wheel.next() != kNever && steps < 10; ++steps) {
    const Cycle now = wheel.next();
    wheel.pop(now, [&](int event) {
      seen.emplace_back(now.value, event);
      if (event == 6) wheel.add(Cycle(1000), 4);  // within it
      if (event == 2) wheel.add(now + 255, 5);
    });
  }
  EXPECT_EQ(seen,
            (std::vector<std::pair<std::uint64_t, int>>{{7, 2}, {7, 3}, {262, 5}, {800, 6}, {1000, 1}, {1000, 4}}));
}

TEST(TimingWheel, NothingIsDueBeforeItsTime) {
  TimingWheel<int> wheel;
  wheel.add(Cycle(5), 1);
  wheel.pop(Cycle(4), [](int) { FAIL(); });
  int taken = 0;
  wheel.pop(Cycle(5), [&](int) { ++taken; });
  EXPECT_EQ(taken, 1);
}

TEST(Ring, GrowsWithItsOrderKept) {
  Ring<int> ring(2);
  ring.push(1);
  ring.push(2);
  ring.pop();
  ring.push(3);
  ring.push(4);
  for (const int expected : {2, 3, 4}) {
    EXPECT_EQ(ring.front(), expected);
    ring.pop();
  }
  EXPECT_TRUE(ring.empty());
}

TEST(EventQueue, OrdersByTimeThenByPushing) {
  EventQueue queue;
  queue.push(Cycle(9), {0, 1}, UnitEvent::Kind::written_back);
  queue.push(Cycle(5), {0, 2}, UnitEvent::Kind::sources_read);
  queue.push(Cycle(9), {0, 3}, UnitEvent::Kind::sources_read);
  UnitEvent event;
  EXPECT_FALSE(queue.pop(Cycle(4), event));
  std::vector<std::uint32_t> operations;
  while (queue.pop(Cycle(9), event)) operations.push_back(event.token.operation);
  EXPECT_EQ(operations, (std::vector<std::uint32_t>{2, 1, 3}));
  EXPECT_EQ(queue.next(), kNever);
}

// Data that arrive from the memory take turns with accesses, and the time in which the array is free.
TEST(DataStage, DataThatArriveDoNotHoldUpAccesses) {
  DataStage stage;
  EXPECT_EQ(stage.arrive(Cycle(10), 20), Cycle(10));
  EXPECT_EQ(stage.reserve(Cycle(10), 4), Cycle(10));
  EXPECT_EQ(stage.free(), Cycle(18)) << "as many cycles for the data";
  EXPECT_EQ(stage.reserve(Cycle(24), 2), Cycle(24)) << "six cycles for the data before it";
  EXPECT_EQ(stage.arrive(Cycle(24), 5), Cycle(28 + 8)) << "behind what has arrived before";
  EXPECT_EQ(stage.reserve(Cycle(60), 3), Cycle(60)) << "all data have been served";
  EXPECT_EQ(stage.free(), Cycle(63));
  EXPECT_EQ(stage.busy(), 20u + 4 + 2 + 5 + 3);
}

TEST(DataStage, OneUserAfterTheOther) {
  DataStage stage;
  EXPECT_EQ(stage.reserve(Cycle(10), 4), Cycle(10));
  EXPECT_EQ(stage.reserve(Cycle(11), 2), Cycle(14));
  EXPECT_EQ(stage.reserve(Cycle(15), 1), Cycle(16));
  EXPECT_EQ(stage.reserve(Cycle(30), 1), Cycle(30));
  EXPECT_EQ(stage.busy(), 8u);
}

TEST(PortClients, EachClientReceivesTheRepliesToItsOwnRequests) {
  test::FixedPort memory(100);
  UsedSlices used_slices({}, SmId(0));
  PortClients clients(memory, used_slices);
  std::array<MemoryPort*, 3> ports{};
  for (MemoryPort*& port : ports) port = &clients.add().port;
  for (const std::uint32_t from : {2u, 0u, 2u}) {
    MemRequest request;
    request.kind = RequestKind::load;  // the same for all: only the client tells the replies apart
    request.tag = 10 + from;
    ports[from]->send(request, Cycle(0));
  }
  clients.dequeue_replies(Cycle(99));
  for (MemoryPort* port : ports) EXPECT_EQ(port->front(Cycle(99)), nullptr);
  EXPECT_EQ(clients.next_reply(), Cycle(100));
  clients.dequeue_replies(Cycle(100));
  const std::array<int, 3> expected{1, 0, 2};
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    int count = 0;
    for (; const MemReply* reply = ports[i]->front(Cycle(100)); ports[i]->pop(), ++count) EXPECT_EQ(reply->tag, 10 + i);
    EXPECT_EQ(count, expected[i]) << "client " << i;
  }
  EXPECT_EQ(clients.next_reply(), kNever);
}

TEST(PortClients, FencesAskTheSlicesToWhichDataWentAndNotThoseOfCode) {
  config::GpuConfig config;
  config.memory.l2.end_barriers = true;
  test::FixedPort memory(100);
  for (const auto& [kind, asked] : {std::pair{RequestKind::load, 1u},
                                    {RequestKind::store, 1u},
                                    {RequestKind::atomic, 1u},
                                    {RequestKind::reduction, 1u},
                                    {RequestKind::instruction, 0u},
                                    {RequestKind::constant, 0u}}) {
    UsedSlices used_slices(config, SmId(0));
    PortClients clients(memory, used_slices);
    MemoryPort& port = clients.add().port;
    MemRequest request;
    request.kind = kind;
    port.send(request, Cycle(0));
    const UsedSlices::Answers answers = used_slices.ask(false);
    EXPECT_EQ(answers.near_slices + answers.far_slices, asked) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace sassim::arch
