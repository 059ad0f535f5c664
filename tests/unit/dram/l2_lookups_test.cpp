// SPDX-License-Identifier: Apache-2.0
// What a slice of the L2 counts as hit and as miss: the events that an H200 counts
// (validation/measured/h200/l2.md#hit-rates).
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "arch/memory/gpc_reads.h"
#include "arch/memory/l2_slice.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

/// Fetches are answered by the test.
class OpenFetches final : public L2Slice::Links {
 public:
  struct Fetch {
    std::uint32_t pending;
    std::uint16_t sectors;
  };
  void reply(SliceId, const MemRequest&, L2Cycle) override {}
  void credit(const MemRequest&, L2Cycle) override {}
  void fetch(SliceId, const SliceRequest&, std::uint16_t sectors, std::uint32_t pending, L2Cycle) override {
    open.push_back({pending, sectors});
  }
  void write_back(SliceId, LineAddress, std::uint16_t, L2Cycle) override {}
  bool can_write_back(SliceId) const override { return true; }
  void pass_on(SliceId, const SliceRequest&, L2Cycle) override {}
  void invalidate_copy(SliceId, const SliceRequest&, L2Cycle) override {}
  std::vector<Fetch> open;
};

class L2Lookups : public ::testing::Test {
 protected:
  L2Lookups() {
    l2.slices = 1;
    l2.ways = 8;
    l2.size = 8 * 128;
    l2.fetch = 32;
    l2.bytes_per_cycle = 64;
  }
  void make() { slice.emplace(memory, SliceId(0), links); }
  static SliceRequest request(RequestKind kind, std::uint64_t line, std::uint16_t sectors) {
    SliceRequest r;
    r.request.kind = kind;
    r.request.sectors = static_cast<std::uint8_t>(sectors);
    r.line = LineAddress(line);
    r.sectors = sectors;
    return r;
  }
  void serve(const SliceRequest& r) {
    slice->arrive(r, now += L2Cycle(100));
    slice->work(now = slice->next_event());
  }
  void serve(RequestKind kind, std::uint64_t line, std::uint16_t sectors) { serve(request(kind, line, sectors)); }
  void fill_all() {
    for (const OpenFetches::Fetch& fetch : links.open) slice->filled(fetch.pending, fetch.sectors, now);
    links.open.clear();
  }
  static void expect(const L2Counters::Lookups& of, std::uint64_t sectors, std::uint64_t hits, std::uint64_t misses) {
    EXPECT_EQ(of.sectors, sectors);
    EXPECT_EQ(of.hits, hits);
    EXPECT_EQ(of.misses, misses);
  }
  const L2Counters& counters() const { return slice->counters(); }

  config::Memory memory;
  config::L2Config& l2 = memory.l2;
  OpenFetches links;
  std::optional<L2Slice> slice;
  L2Cycle now;
};

TEST_F(L2Lookups, ASectorInFlightIsAHitAndIsMissedOnce) {
  make();
  serve(RequestKind::load, 1, 0b0001);
  expect(counters().read, 1, 0, 1);
  serve(RequestKind::load, 1, 0b0001);
  expect(counters().read, 2, 1, 1);
  serve(RequestKind::load, 1, 0b0011);
  expect(counters().read, 4, 2, 2);
  fill_all();
  serve(RequestKind::load, 1, 0b0011);
  expect(counters().read, 6, 4, 2);
  EXPECT_EQ(counters().tex.misses, 2u);
}

TEST_F(L2Lookups, ASectorThatIsFetchedUnaskedIsAMissAndThenAHit) {
  l2.fetch = 64;
  make();
  serve(RequestKind::load, 1, 0b0001);
  expect(counters().read, 1, 0, 2);
  serve(RequestKind::load, 1, 0b0010);
  expect(counters().read, 2, 1, 2);
  serve(RequestKind::load, 1, 0b0100);
  expect(counters().read, 3, 1, 4);
}

// What the L1 of the GPU sends as one request (sm.l1.join_misses) comes in parts here, and is looked up once.
TEST_F(L2Lookups, APartOfARequestIsNoHitInWhatTheRequestFetches) {
  l2.fetch = 64;
  make();
  serve(RequestKind::load, 1, 0b0001);
  SliceRequest part = request(RequestKind::load, 1, 0b0010);
  part.request.load.continues = true;
  serve(part);
  expect(counters().read, 2, 0, 2);
  EXPECT_EQ(counters().read.requests, 1u);
  SliceRequest of_another = part;
  of_another.request.tag = 7;
  serve(of_another);
  expect(counters().read, 3, 1, 2);
  fill_all();
  serve(part);
  expect(counters().read, 4, 2, 2);
}

TEST_F(L2Lookups, AReductionOfTheOtherHalfHitsWhereItEntersAndMissesAtItsHome) {
  l2.fetch = 64;
  make();
  SliceRequest far = request(RequestKind::reduction, 1, 0b0001);
  far.passed_on = true;
  serve(far);
  expect(counters().tex, 1, 1, 0);
  expect(counters().fabric, 1, 0, 1);  // the home fetches what is needed, no neighbour
  expect(counters().reduction, 2, 1, 1);
  serve(RequestKind::reduction, 2, 0b0001);
  expect(counters().tex, 2, 1, 2);
}

TEST_F(L2Lookups, ACopyMissesAndItsHomeCountsTheLink) {
  make();
  SliceRequest copy = request(RequestKind::load, 1, 0b1111);
  copy.copy = true;
  serve(copy);
  expect(counters().tex, 4, 0, 4);
  EXPECT_EQ(counters().sectors.fetched_other_half, 4u);
  SliceRequest at_home = request(RequestKind::load, 2, 0b1111);
  at_home.request.from = Endpoint::of_slice(SliceId(1));
  serve(at_home);
  expect(counters().fabric, 4, 0, 4);
}

TEST_F(L2Lookups, AStoreHitsOnceInEachHalfThatItPasses) {
  make();
  serve(RequestKind::store, 1, 0b1111);
  expect(counters().write, 4, 4, 0);
  SliceRequest far = request(RequestKind::store, 2, 0b1111);
  far.passed_on = true;
  serve(far);
  expect(counters().write, 12, 12, 0);
  expect(counters().fabric, 4, 4, 0);
}

TEST_F(L2Lookups, CompletingAPartlyWrittenSectorIsAWriteThatMisses) {
  l2.dirty.ways = l2.dirty.partial_ways = 1;
  make();
  SliceRequest part = request(RequestKind::store, 1, 0b0001);
  part.partial = part.request.partial = 1;
  serve(part);
  expect(counters().write, 1, 1, 0);
  part.line = LineAddress(2);  // one line of the set may be dirty: line 1 is completed from DRAM and written
  serve(part);
  ASSERT_EQ(links.open.size(), 1u);
  expect(counters().write, 3, 2, 1);
  expect(counters().completion, 1, 0, 1);
  EXPECT_EQ(counters().total().sectors, counters().sources().sectors);
}

TEST_F(L2Lookups, TheNoticeThatALineWasWrittenIsASectorOnTheLink) {
  make();
  SliceRequest notice = request(RequestKind::invalidate, 1, 0b1111);
  notice.request.from = Endpoint::of_slice(SliceId(1));
  notice.request.needs_reply = false;
  notice.copy = true;
  serve(notice);
  expect(counters().fabric, 1, 1, 0);
  expect(counters().total(), 1, 1, 0);
  EXPECT_EQ(counters().write.sectors, 0u);
}

// Code and constants: a slice counts a sector once for each GPC that reads it.

TEST(GpcReads, ASectorIsNewToEachGpcOnce) {
  GpcReads reads;
  EXPECT_EQ(reads.first(0, 7, 0b0011), 0b0011);
  EXPECT_EQ(reads.first(0, 7, 0b0110), 0b0100);
  EXPECT_EQ(reads.first(0, 7, 0b0111), 0);
  EXPECT_EQ(reads.first(1, 7, 0b0011), 0b0011) << "another GPC";
  EXPECT_EQ(reads.first(0, 8, 0b0011), 0b0011) << "another line";
}

TEST(GpcReads, ALaunchReadsAllAgain) {
  GpcReads reads;
  reads.first(0, 7, 0b1111);
  reads.clear();
  EXPECT_EQ(reads.first(0, 7, 0b0001), 0b0001);
}

}  // namespace
}  // namespace sassim::arch
