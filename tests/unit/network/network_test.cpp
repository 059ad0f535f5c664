// SPDX-License-Identifier: Apache-2.0
// How long messages take from one endpoint to another, and who gets them.
#include "arch/network/network.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

constexpr Cycle kNow{1000};

config::GpuConfig gpu(std::uint32_t halves = 2) {
  config::GpuConfig config;
  config.sm.count = 16;
  config.memory.l2.slices = 8;
  config.memory.halves.parts = halves;
  config::CrossbarConfig& x = config.memory.crossbar;
  x.request_latency = 80;
  x.reply_latency = 60;
  config.memory.halves.latency = 50;
  x.spread = 30;
  x.sector_latency = 2.5;
  x.merge.window = 0;
  return config;
}

/// A network with slices 0 to 3, in half 0, and 4 to 7 behind a door each, and the walker.
struct Built {
  explicit Built(const config::GpuConfig& given) : config(given), network(config) {}
  void exchange() {
    network.exchange(kNow);
    for (NetworkPort* door : {&half0, &half1, &walker}) door->settle(kNow);
  }
  MemRequest from(std::uint16_t sm, RequestKind kind = RequestKind::load) {
    MemRequest request{.kind = kind, .sectors = 15};
    request.from = Endpoint::of_sm(SmId(sm));
    return request;
  }
  config::GpuConfig config;
  Network network;
  NetworkPort& half0 = network.attach(Endpoint::of_slice(SliceId(0)), 4);
  NetworkPort& half1 = network.attach(Endpoint::of_slice(SliceId(4)), 4);
  NetworkPort& walker = network.attach(Endpoint::walker());
};

TEST(Network, ARequestTakesTheWayToItsSliceAndLongerToTheOtherHalf) {
  Built b(gpu());
  const config::CrossbarConfig& x = b.config.memory.crossbar;
  const auto spread = [&](std::uint32_t slice) { return b.network.topology().distance(SmId(0), SliceId(slice)).value; };
  b.network.send(Endpoint::of_slice(SliceId(1)), b.from(0), kNow);
  b.network.send(Endpoint::of_slice(SliceId(6)), b.from(0), kNow);
  b.network.send(Endpoint::walker(), b.from(0, RequestKind::translation), kNow);
  b.exchange();
  ASSERT_EQ(b.half0.requests().size(), 1u);
  EXPECT_EQ(b.half0.requests().front().time, kNow + x.request_latency + spread(1));
  EXPECT_EQ(b.half0.requests().front().to, Endpoint::of_slice(SliceId(1)));
  ASSERT_EQ(b.half1.requests().size(), 1u);
  EXPECT_EQ(b.half1.requests().front().time, kNow + x.request_latency + b.config.memory.halves.latency + spread(6));
  ASSERT_EQ(b.walker.requests().size(), 1u);
  EXPECT_EQ(b.walker.requests().front().time, kNow + x.request_latency);
}

TEST(Network, AReplyTakesTheWayBackWithItsFurtherSectorsBehindTheFirst) {
  for (const std::uint32_t slice : {2u, 7u}) {
    Built b(gpu());
    const config::CrossbarConfig& x = b.config.memory.crossbar;
    SmPort& sm = b.network.port(SmId(3));
    MemRequest request = b.from(3);
    sm.send(request, kNow);
    MemReply reply = answer(sm.sent()[0], Cycle{});
    reply.from = Endpoint::of_slice(SliceId(slice));
    (slice < 4 ? b.half0 : b.half1).send(reply.to, reply, kNow);
    b.exchange();
    const std::uint64_t way =
        x.reply_latency + (slice < 4 ? 0 : b.config.memory.halves.latency) + 8;  // three sectors of 2.5 cycles
    const std::uint64_t wire = (x.header + 128 + x.flit - 1) / x.flit * x.flit;
    const std::uint64_t passed = (wire + x.reply_bytes_per_cycle - 1) / x.reply_bytes_per_cycle;
    EXPECT_EQ(sm.next_reply(), kNow + way + b.network.topology().distance(SmId(3), SliceId(slice)).value + passed)
        << slice;
  }
}

TEST(Network, ALoadDoesNotOvertakeWhatChangesALineOnTheWayToTheOtherHalf) {
  config::GpuConfig config = gpu();
  config.memory.halves.change_latency = 84;
  Built b(config);
  MemRequest request = b.from(0, RequestKind::reduction);
  request.from = Endpoint::of_slice(SliceId(1));
  b.half0.send(Endpoint::of_slice(SliceId(5)), request, kNow);
  request.kind = RequestKind::load;
  b.half0.send(Endpoint::of_slice(SliceId(5)), request, kNow + 10);
  request.from = Endpoint::of_slice(SliceId(2));
  b.half0.send(Endpoint::of_slice(SliceId(6)), request, kNow + 10);
  b.exchange();
  ASSERT_EQ(b.half1.requests().size(), 3u);
  const std::uint64_t way = config.memory.halves.latency;
  EXPECT_EQ(b.half1.requests().front().to, Endpoint::of_slice(SliceId(6))) << "another slice's load passes";
  EXPECT_EQ(b.half1.requests().front().time, kNow + 10 + way);
  b.half1.requests().pop();
  EXPECT_EQ(b.half1.requests().front().kind, RequestKind::reduction);
  EXPECT_EQ(b.half1.requests().front().time, kNow + way + 84);
  b.half1.requests().pop();
  EXPECT_EQ(b.half1.requests().front().time, kNow + way + 84) << "the load waits behind the reduction";
}

TEST(Network, OnlyResultsOfAtomicsComeLaterFromTheOtherHalf) {
  config::GpuConfig config = gpu();
  config.memory.halves.result_latency = 25;
  config.memory.crossbar.spread = 0;
  for (const RequestKind kind : {RequestKind::load, RequestKind::store, RequestKind::atomic, RequestKind::reduction})
    for (const auto& [slice, sectors] : {std::pair{2u, 0u}, {7u, 0u}, {2u, 1u}, {7u, 1u}, {2u, 4u}, {7u, 4u}}) {
      Built b(config);
      SmPort& sm = b.network.port(SmId(3));
      sm.send(b.from(3, kind), kNow);
      MemReply reply = answer(sm.sent()[0], Cycle{});
      reply.data_bytes = static_cast<std::uint16_t>(32 * sectors);
      reply.from = Endpoint::of_slice(SliceId(slice));
      (slice < 4 ? b.half0 : b.half1).send(reply.to, reply, kNow);
      b.exchange();
      const config::CrossbarConfig& x = config.memory.crossbar;
      const std::uint64_t far = config.memory.halves.latency + (kind == RequestKind::atomic ? 25 : 0);
      const std::uint64_t further = sectors == 4 ? 8 : 0;  // three sectors of 2.5 cycles
      const std::uint64_t wire = (x.header + 32 * sectors + x.flit - 1) / x.flit * x.flit;
      const std::uint64_t passed = (wire + x.reply_bytes_per_cycle - 1) / x.reply_bytes_per_cycle;
      EXPECT_EQ(sm.next_reply(), kNow + x.reply_latency + further + (slice < 4 ? 0 : far) + passed) << slice;
    }
}

TEST(Network, SlicesOfTheTwoHalvesTalkToEachOther) {
  Built b(gpu());
  MemRequest fetch = b.from(0);
  fetch.from = Endpoint::of_slice(SliceId(2));
  b.half0.send(Endpoint::of_slice(SliceId(6)), fetch, kNow);
  b.exchange();
  ASSERT_EQ(b.half1.requests().size(), 1u);
  EXPECT_EQ(b.half1.requests().front().time, kNow + b.config.memory.halves.latency);
  MemReply fill = answer(b.half1.requests().front(), Cycle{});
  fill.from = Endpoint::of_slice(SliceId(6));
  b.half1.send(fill.to, fill, kNow);
  b.exchange();
  ASSERT_EQ(b.half0.replies().size(), 1u);
  EXPECT_EQ(b.half0.replies().front().to, Endpoint::of_slice(SliceId(2)));
  EXPECT_EQ(b.half0.replies().front().time, kNow + b.config.memory.halves.latency);
}

TEST(Network, WhatChangesALineTakesLongerToTheOtherHalfAndAtomicsTakeEffectThere) {
  config::GpuConfig config = gpu();
  config.memory.halves.change_latency = 84;
  Built b(config);
  const config::CrossbarConfig& x = config.memory.crossbar;
  for (const auto& [kind, more] : {std::pair{RequestKind::load, 0u},
                                   {RequestKind::store, 84u},
                                   {RequestKind::atomic, 84u},
                                   {RequestKind::reduction, 84u}}) {
    MemRequest request = b.from(0, kind);
    request.time = kNow;
    const Endpoint entry = Endpoint::of_slice(SliceId(1)), home = Endpoint::of_slice(SliceId(5));
    const Cycle enters = b.network.effect(entry, entry, request);
    EXPECT_EQ(enters, kNow + x.request_latency + b.network.topology().distance(SmId(0), SliceId(1)).value);
    const bool atomic = kind == RequestKind::atomic || kind == RequestKind::reduction;
    EXPECT_EQ(b.network.effect(entry, home, request), enters + (atomic ? config.memory.halves.latency + 84 : 0));
    config::GpuConfig without = config;
    without.memory.halves.near_copies = false;
    EXPECT_EQ(Built(without).network.effect(entry, home, request),
              enters + (kind == RequestKind::load ? 0 : config.memory.halves.latency + 84))
        << "no copy keeps a store";

    request.from = entry;
    b.half0.send(home, request, kNow);
    b.exchange();
    ASSERT_EQ(b.half1.requests().size(), 1u);
    EXPECT_EQ(b.half1.requests().front().time, kNow + config.memory.halves.latency + more) << static_cast<int>(kind);
    b.half1.requests().pop();
  }
}

TEST(Network, ALoadThatPassesItsGpcAloneIsNoLongerUnderWay) {
  config::GpuConfig merging = gpu();
  merging.memory.crossbar.merge.window = 20;
  merging.memory.crossbar.merge.most = 4;
  Built with(merging), without(gpu());
  for (Built* b : {&with, &without}) {
    b->network.send(Endpoint::of_slice(SliceId(6)), b->from(0), kNow);
    b->exchange();
    for (Component* part : b->network.components()) part->advance(kNow + 60);
    b->exchange();
    ASSERT_EQ(b->half1.requests().size(), 1u);
  }
  EXPECT_EQ(with.half1.requests().front().time, without.half1.requests().front().time);
  EXPECT_NE(with.half1.requests().front().merger, 0u);
  EXPECT_EQ(with.network.lookahead(), Cycle{merging.memory.crossbar.request_latency / 2});
  EXPECT_EQ(without.network.lookahead(), Cycle{merging.memory.halves.latency});
}

TEST(Network, CreditsComeBackAfterAReplysWay) {
  Built b(gpu());
  SmPort& sm = b.network.port(SmId(0));
  const std::uint32_t credits = b.config.memory.crossbar.credits;
  Cycle now = kNow;
  for (std::uint32_t i = 0; i < credits; ++i) {
    now = sm.ready_at(now, 0);
    sm.send(b.from(0), now);
  }
  EXPECT_EQ(sm.ready_at(now, 0), kNever);
  b.half0.return_credit(SmId(0), 0, now + 5);
  b.exchange();
  EXPECT_EQ(sm.ready_at(now, 0), now + 5 + b.config.memory.crossbar.reply_latency);
}

TEST(Network, EndpointsAreOrderedSmsThenSlicesThenTheWalker) {
  EXPECT_LT(Endpoint::of_sm(SmId(Endpoint::kMost - 1)), Endpoint::of_slice(SliceId(0)));
  EXPECT_LT(Endpoint::of_slice(SliceId(Endpoint::kMost - 1)), Endpoint::walker());
  EXPECT_EQ(Endpoint::of_slice(SliceId(77)).slice(), SliceId(77));
  EXPECT_EQ(Endpoint::of_sm(SmId(77)).sm(), SmId(77));
  EXPECT_NE(Endpoint::of_sm(SmId(77)), Endpoint::of_slice(SliceId(77)));
}

TEST(Network, RefusesWhatCannotBeBuilt) {
  config::GpuConfig config = gpu();
  config.memory.halves.latency = 0;
  EXPECT_THROW(Network{config}, InputError);
  config = gpu();
  config.sm.count = Endpoint::kMost + 1;
  EXPECT_THROW(Network{config}, InputError);
  config = gpu();
  config.memory.crossbar.credits = 0;
  EXPECT_THROW(Network{config}, InputError);
}

}  // namespace
}  // namespace sassim::arch
