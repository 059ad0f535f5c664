// SPDX-License-Identifier: Apache-2.0
// The small parts of the L1 by themselves: pending requests, pieces of lines, bank passes, the TLB, the way of a miss.
#include <gtest/gtest.h>

#include <vector>

#include "arch/sm/common/bank_conflicts.h"
#include "arch/sm/units/l1/miss_path.h"
#include "arch/sm/units/l1/pending_requests.h"
#include "arch/sm/units/l1/request_pieces.h"
#include "sim/base/error.h"
#include "sim/config/gpu_config.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

using Ops = std::vector<std::uint32_t>;

Ops arrive(PendingRequests& pending, std::uint32_t entry, std::uint8_t sectors) {
  Ops ready;
  pending.arrive(entry, sectors, [&](std::uint32_t op) { ready.push_back(op); });
  return ready;
}

TEST(PendingRequests, WaitersGoWhenAllTheirSectorsAreHereInOrder) {
  PendingRequests pending(2, 4);
  const std::uint32_t entry = pending.allocate(0x1000, true, true);
  pending.request(entry, 0b0111);
  pending.wait(entry, 1, 0b0011);
  pending.wait(entry, 2, 0b0001);
  pending.wait(entry, 3, 0b0110);
  EXPECT_EQ(pending.find(0x1000), entry);
  EXPECT_EQ(arrive(pending, entry, 0b0001), (Ops{2}));
  EXPECT_EQ(arrive(pending, entry, 0b0010), (Ops{1}));
  EXPECT_EQ(pending.in_use(), 1u);
  EXPECT_EQ(arrive(pending, entry, 0b0100), (Ops{3}));
  EXPECT_EQ(pending.in_use(), 0u) << "nothing is in flight";
  EXPECT_EQ(pending.find(0x1000), PendingRequests::kNone);
}

TEST(PendingRequests, HoldsSoManyLinesAndMergesSoMany) {
  PendingRequests pending(2, 2);
  const std::uint32_t first = pending.allocate(0x1000, true, true);
  EXPECT_FALSE(pending.full());
  pending.allocate(0x2000, true, false);
  EXPECT_TRUE(pending.full());
  EXPECT_EQ(pending.find(0x2000), PendingRequests::kNone) << "not to be joined";
  for (const std::uint32_t op : {7u, 8u}) {
    EXPECT_TRUE(pending.can_merge(first));
    pending.wait(first, op, 1);
  }
  EXPECT_FALSE(pending.can_merge(first));
}

TEST(RequestPieces, LongLinesGoInPiecesAndLargeSectorsInSmallOnes) {
  const RequestPieces pieces(256, 64);  // four sectors in two pieces
  std::vector<std::pair<std::uint32_t, int>> made;
  pieces.each(0b1001, [&](std::uint32_t offset, std::uint8_t small) { made.emplace_back(offset, small); });
  EXPECT_EQ(made, (std::vector<std::pair<std::uint32_t, int>>{{0, 0b0011}, {128, 0b1100}}));
  EXPECT_EQ(pieces.small_at(0b1001, 128), 0b1100);
  EXPECT_EQ(pieces.line_sectors(128, 0b1100), 0b1000);
  EXPECT_EQ(pieces.line_sectors(0, 0b0101), 0) << "half sectors are none";
  EXPECT_THROW(RequestPieces(128, 16), InputError);
}

BankPasses passes(std::uint32_t stride, std::uint32_t bytes, int lanes = 32) {
  std::array<std::uint64_t, kWarpSize> addresses{};
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) addresses[lane] = lane * stride;
  const auto mask = lanes == 32 ? LaneMask::all() : LaneMask((1u << lanes) - 1);
  return bank_passes(BankShape{}, addresses, mask, bytes);
}

TEST(BankPasses, TheBankWithMostDistinctWordsDecides) {
  EXPECT_EQ(passes(4, 4).passes, 1u);
  EXPECT_EQ(passes(0, 4).passes, 1u) << "all lanes one word";
  for (const std::uint32_t degree : {2u, 4u, 8u, 16u, 32u}) EXPECT_EQ(passes(4 * degree, 4).passes, degree);
  EXPECT_EQ(passes(4 * 33, 4).passes, 1u) << "an odd stride";
  EXPECT_EQ(passes(8, 8).passes, 2u) << "half a warp at a time";
  EXPECT_EQ(passes(16, 16).passes, 4u) << "a quarter at a time";
  EXPECT_EQ(passes(128, 4, 3).passes, 3u);
  EXPECT_EQ(passes(128, 4).ideal, 1u);
}

TEST(MissPath, AnUnknownPageIsAskedForOnceAndOthersPass) {
  config::Sm sm;
  sm.tlb.entries = 4;
  sm.tlb.ways = 4;
  sm.tlb.page = 1 << 21;
  FixedPort port(100);
  MissPath path(sm, port);
  const auto add = [&](std::uint64_t address, std::uint64_t at) {
    MemRequest request;
    request.address = address;
    request.sectors = 1;
    path.add(request, Cycle(at));
  };
  const auto run = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t t = from; t < to; ++t) path.cycle(Cycle(t));
  };
  add(0, 0);
  add(128, 0);
  run(0, 50);
  EXPECT_EQ(path.counters().translations, 1u);
  EXPECT_EQ(port.sent.size(), 1u) << "the translation only";
  path.translated(0, Cycle(50));
  run(50, 100);
  EXPECT_EQ(port.sent.size(), 3u);
  add(256, 100);
  run(100, 150);
  EXPECT_EQ(port.sent.size(), 4u) << "the page is known now";
  EXPECT_EQ(path.counters().translations, 1u);
  EXPECT_EQ(path.counters().read_sectors, 3u);
  EXPECT_TRUE(path.idle());
}

TEST(MissPath, ARequestLeavesWithTheEarliestCreditInWhateverOrderTheyAreKnown) {
  config::Sm sm;
  sm.tlb.entries = 0;
  FixedPort port(100);
  MissPath path(sm, port);
  path.preload(nullptr);
  port.free = Cycle(900);  // the first credit that is known
  MemRequest request;
  request.sectors = 1;
  path.add(request, Cycle(0));
  EXPECT_FALSE(path.cycle(path.next_event()));
  EXPECT_EQ(path.next_event(), Cycle(900));
  port.free = Cycle(50);
  EXPECT_EQ(path.next_event(), Cycle(50)) << "a later message brings an earlier one";
  EXPECT_TRUE(path.cycle(Cycle(50)));
  EXPECT_EQ(port.sent.size(), 1u);
}

// Only with the request before it, only of the same line, and only for some cycles.
TEST(MissPath, AMissContinuesTheLastRequestIfThatIsOfItsLine) {
  config::Sm sm;
  sm.l1.join_misses = 16;
  FixedPort port(100);
  MissPath path(sm, port);
  path.preload(nullptr);
  Cycle now;
  const auto add = [&](std::uint64_t address, std::uint8_t sectors, std::uint64_t later,
                       RequestKind kind = RequestKind::load) {
    now = now + later;
    MemRequest request;
    request.kind = kind;
    request.address = address;
    request.tag = static_cast<std::uint32_t>(address / 128);
    request.sectors = sectors;
    path.add(request, now);
  };
  add(0, 1, 0);
  add(0, 2, 4);   // joins
  add(0, 4, 16);  // joins
  add(0, 8, 17);
  add(128, 1, 1);
  add(0, 1, 1);
  add(0, 2, 0, RequestKind::store);
  add(0, 4, 1);
  path.translated(0, now);
  for (std::uint64_t t = 0; t < 200; ++t) path.cycle(now + t);
  std::vector<bool> continues;
  for (const MemRequest& request : port.sent)
    if (request.kind != RequestKind::translation) continues.push_back(request.load.continues);
  EXPECT_EQ(continues, (std::vector<bool>{false, true, true, false, false, false, false, false}));
}

// A page that the SM's own TLB has lost, but the GPC's has not, costs the latter's latency and no translation.
TEST(MissPath, TheTlbOfTheGpcAnswersForLostPages) {
  config::Sm sm;
  sm.tlb = {.entries = 1, .page = 1 << 21};
  sm.gpc_tlb = {.entries = 2, .page = 1 << 25, .latency = 9};
  FixedPort port(100);
  MissPath path(sm, port);
  /// When the request leaves that comes at `at`; 0: not within 50 cycles.
  const auto leaves = [&](std::uint64_t address, std::uint64_t at) -> std::uint64_t {
    MemRequest request;
    request.address = address;
    request.sectors = 1;
    path.add(request, Cycle(at));
    const std::size_t before = port.sent.size();
    for (std::uint64_t t = at; t < at + 50; ++t) {
      path.cycle(Cycle(t));
      if (port.sent.size() > before && port.sent.back().kind == RequestKind::load) return t - at;
    }
    return 0;
  };
  const std::uint64_t page = sm.tlb.page, wide = sm.gpc_tlb.page;
  EXPECT_EQ(leaves(0, 0), 0u) << "asks for the translation";
  path.translated(0, Cycle(50));
  path.cycle(Cycle(51));
  const std::uint64_t hit = leaves(128, 100);
  EXPECT_GT(hit, 0u);
  EXPECT_EQ(leaves(page, 200), hit + sm.gpc_tlb.latency) << "another page of the same entry of the GPC";
  EXPECT_EQ(leaves(page + 128, 300), hit);
  EXPECT_EQ(leaves(0, 400), hit + sm.gpc_tlb.latency) << "lost since";
  EXPECT_EQ(path.counters().translations, 1u);
  EXPECT_EQ(leaves(wide, 500), 0u) << "not known to the GPC";
  EXPECT_EQ(path.counters().translations, 2u);
}

/// Sectors that arrive for loads of 8 words each, one right after the other, at these words.
std::uint64_t arrived_for(bool join_parts, std::initializer_list<std::uint64_t> words, std::uint32_t entries = 512) {
  config::Sm sm;
  sm.l1.join_parts = join_parts;
  sm.l1.pending_requests = entries;
  Bench bench(sm);
  const auto load = decoded(isa::OpClass::load, isa::Space::global);
  for (const std::uint64_t word : words)
    bench.issue(make_op(
        load, [=](int lane) { return (word + static_cast<std::uint64_t>(lane)) * 4; }, LaneMask{0xff}));
  bench.drain();
  EXPECT_TRUE(bench.pipeline.idle());
  for (const Times& times : bench.times) EXPECT_TRUE(times.written_back.has_value());
  const auto arrived = static_cast<std::uint64_t>(bench.metric("l1tex__m_xbar2l1tex_read_sectors.sum"));
  const double again = join_parts ? 0 : bench.metric("sassim__l1_sectors_asked_again.sum");
  EXPECT_EQ(bench.metric("l1tex__t_sectors_lookup_miss.sum") + again, static_cast<double>(arrived));
  return arrived;
}

TEST(L1Cache, ALoadThatAsksForASectorMayAskAgainForThoseInFlight) {
  EXPECT_EQ(arrived_for(true, {4, 12}), 3u) << "sectors 0, 1 and 1, 2";
  EXPECT_EQ(arrived_for(false, {4, 12}), 4u) << "sector 1 twice";
  EXPECT_EQ(arrived_for(false, {4, 12, 20}), 6u) << "sectors 1 and 2 twice";
  EXPECT_EQ(arrived_for(false, {4, 4, 0, 8}), 2u) << "all sectors are in flight: nothing is asked for";
  EXPECT_EQ(arrived_for(false, {4, 12, 20}, 2), 5u)
      << "without an entry for its second request the last waits and hits";
}

}  // namespace
}  // namespace sassim::arch::test
