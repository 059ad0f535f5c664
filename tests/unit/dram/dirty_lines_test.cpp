// SPDX-License-Identifier: Apache-2.0
// How long a slice of the L2 keeps what was written, what writes cost its data array, and how much a miss fetches.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "arch/memory/l2_slice.h"
#include "sim/base/error.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

constexpr std::uint64_t kLines = 4;  ///< of the slice, in one set

/// Remembers what the slice asks for; fills are the test's business.
class Recorder final : public L2Slice::Links {
 public:
  struct Fetch {
    std::uint64_t line;
    std::uint16_t sectors;
    std::uint32_t pending;
  };
  void reply(SliceId, const MemRequest&, L2Cycle) override { ++replies; }
  void credit(const MemRequest&, L2Cycle) override {}
  void fetch(SliceId, const SliceRequest& cause, std::uint16_t sectors, std::uint32_t pending, L2Cycle) override {
    fetched.push_back({cause.line, sectors, pending});
  }
  void write_back(SliceId, LineAddress line, std::uint16_t, L2Cycle) override { written.push_back(line); }
  bool can_write_back(SliceId) const override { return room; }
  void pass_on(SliceId, const SliceRequest&, L2Cycle) override {}
  void invalidate_copy(SliceId, const SliceRequest&, L2Cycle) override {}

  std::vector<Fetch> fetched;
  std::vector<std::uint64_t> written;
  int replies = 0;
  bool room = true;
};

class DirtyLines : public ::testing::Test {
 protected:
  DirtyLines() {
    l2.slices = 1;
    l2.ways = kLines;
    l2.size = kLines * 128;
    l2.bytes_per_cycle = 64;
  }
  void make() { slice.emplace(memory, SliceId(0), recorder); }

  /// Has the slice serve a request; returns how long its data array is taken.
  std::uint64_t serve(RequestKind kind, std::uint64_t line, std::uint16_t sectors, std::uint16_t partial = 0,
                      bool passed_on = false) {
    SliceRequest r;
    r.request.kind = kind;
    r.request.sectors = static_cast<std::uint8_t>(sectors);
    r.line = LineAddress(line);
    r.sectors = sectors;
    r.partial = partial;
    r.passed_on = passed_on;
    now += L2Cycle(100);
    slice->arrive(r, now);
    now = slice->next_event();
    slice->work(now);
    // The array is free when the next request can be served.
    SliceRequest next = r;
    next.request.kind = RequestKind::invalidate;
    next.line = LineAddress(99);
    slice->arrive(next, now - 50);
    const std::uint64_t taken = (slice->next_event() - now).value;
    slice->work(slice->next_event());
    return taken;
  }
  /// A load of a whole line, whose fetch is answered.
  void load(std::uint64_t line) {
    serve(RequestKind::load, line, 15);
    fill(recorder.fetched.size() - 1);
  }
  void fill(std::size_t fetch) {
    slice->filled(recorder.fetched.at(fetch).pending, recorder.fetched.at(fetch).sectors, now += L2Cycle(10));
  }

  config::Memory memory;
  config::L2Config& l2 = memory.l2;
  Recorder recorder;
  std::optional<L2Slice> slice;
  L2Cycle now;
};

TEST_F(DirtyLines, StayUntilTheirPlaceIsNeededWithoutALimit) {
  make();
  for (std::uint64_t line = 0; line < kLines; ++line) serve(RequestKind::store, line, 15);
  EXPECT_TRUE(recorder.written.empty());
  serve(RequestKind::store, kLines, 15);
  EXPECT_EQ(recorder.written, std::vector<std::uint64_t>{0});
}

TEST_F(DirtyLines, BeyondTheLimitTheOldestIsWrittenAndStays) {
  l2.dirty.ways = 2;
  make();
  serve(RequestKind::store, 0, 15);
  serve(RequestKind::store, 1, 15);
  serve(RequestKind::store, 0, 15);  // used again: line 1 is the oldest
  EXPECT_TRUE(recorder.written.empty());
  serve(RequestKind::store, 2, 15);
  EXPECT_EQ(recorder.written, std::vector<std::uint64_t>{1});
  serve(RequestKind::load, 1, 15);
  EXPECT_TRUE(recorder.fetched.empty()) << "it was written, not given up";
  serve(RequestKind::store, 3, 15);
  EXPECT_EQ(recorder.written, (std::vector<std::uint64_t>{1, 0}));
}

TEST_F(DirtyLines, PagesBeginAtAnySetSoThatSomeMeet) {
  constexpr std::uint64_t kSets = 16, kPage = 8;
  l2.ways = 1;
  l2.size = kSets * 128;
  const auto displaced = [&](std::uint64_t first) {
    make();
    recorder.written.clear();
    for (std::uint64_t line = first; line < first + kPage; ++line) serve(RequestKind::store, line, 15);
    EXPECT_TRUE(recorder.written.empty()) << "a page's own lines have a set each";
    for (std::uint64_t line = first + kPage; line < first + kSets; ++line) serve(RequestKind::store, line, 15);
    return recorder.written.size();
  };
  std::size_t all = 0;
  for (std::uint64_t pair = 0; pair < 8; ++pair) {
    l2.page = 0;
    EXPECT_EQ(displaced(pair * kSets), 0u) << "neighbouring addresses fill all sets";
    l2.page = kPage * 128;
    all += displaced(pair * kSets);
  }
  // Half of a page's sets are another's on average: four of eight lines.
  EXPECT_GT(all, 8 * 2u);
  EXPECT_LT(all, 8 * 6u);
}

TEST_F(DirtyLines, AStoreWaitsForRoomInDramsQueue) {
  l2.dirty.ways = 1;
  make();
  serve(RequestKind::store, 0, 15);
  recorder.room = false;
  SliceRequest r;
  r.request.kind = RequestKind::store;
  r.line = LineAddress(1);
  r.sectors = 15;
  slice->arrive(r, now);
  slice->work(slice->next_event());
  EXPECT_EQ(slice->queued(), 1u);
  EXPECT_TRUE(slice->waits_for_writes());
  recorder.room = true;
  slice->unblock(now);
  slice->work(slice->next_event());
  EXPECT_EQ(slice->queued(), 0u);
  EXPECT_EQ(recorder.written, std::vector<std::uint64_t>{0});
}

TEST_F(DirtyLines, PartsOfSectorsAreCompletedBeforeTheyAreWritten) {
  l2.dirty.partial_ways = 1;
  make();
  serve(RequestKind::store, 0, 0b0110, 0b0010);
  EXPECT_TRUE(recorder.fetched.empty());
  serve(RequestKind::store, 1, 0b0001, 0b0001);
  ASSERT_EQ(recorder.fetched.size(), 1u);
  EXPECT_EQ(recorder.fetched[0].line, 0u);
  EXPECT_EQ(recorder.fetched[0].sectors, 0b0010) << "the other sector was written whole";
  EXPECT_TRUE(recorder.written.empty());
  fill(0);
  EXPECT_EQ(recorder.written, std::vector<std::uint64_t>{0});
  EXPECT_EQ(slice->counters().sectors.written_back_partial, 0u);
  EXPECT_TRUE(slice->idle());
}

TEST_F(DirtyLines, AStoreOfPartOfASectorWaitsForAPlaceToCompleteAnother) {
  l2.dirty.partial_ways = 1;
  l2.pending_requests = 2;
  memory.halves.parts = 1;
  make();
  for (std::uint64_t line = 0; line < 3; ++line) serve(RequestKind::store, line, 0b0001, 0b0001);
  EXPECT_EQ(recorder.fetched.size(), 2u) << "two are being completed";
  SliceRequest r;
  r.request.kind = RequestKind::store;
  r.request.sectors = 1;
  r.line = LineAddress(3);
  r.sectors = r.partial = 1;
  slice->arrive(r, now += L2Cycle(100));
  slice->work(slice->next_event());
  ASSERT_EQ(slice->queued(), 1u) << "both places are taken";
  fill(0);
  slice->work(slice->next_event());
  EXPECT_EQ(slice->queued(), 0u);
  EXPECT_EQ(recorder.fetched.size(), 3u);
}

TEST_F(DirtyLines, WrittenInPartAreCompletedWhenTheirTurnToGoComes) {
  l2.dirty.partial_ways = 1;
  make();
  serve(RequestKind::store, 0, 0b0001, 0b0001);
  for (std::uint64_t line = 1; line < kLines; ++line) serve(RequestKind::store, line, 15);
  EXPECT_TRUE(recorder.fetched.empty());
  serve(RequestKind::store, kLines, 15);
  ASSERT_EQ(recorder.fetched.size(), 1u) << "it is the oldest";
  EXPECT_EQ(recorder.fetched[0].line, 0u);
  EXPECT_EQ(recorder.written, std::vector<std::uint64_t>{1}) << "the next goes meanwhile";
  fill(0);
  EXPECT_EQ(recorder.written, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(slice->counters().sectors.written_back_partial, 0u);
  serve(RequestKind::store, kLines + 1, 15);
  EXPECT_EQ(recorder.written.size(), 2u) << "it gives its place up, already written";
}

TEST_F(DirtyLines, WrittenInPartStayLongestWhereNothingIsKnownOfThem) {
  make();
  serve(RequestKind::store, 0, 0b0001, 0b0001);
  for (std::uint64_t line = 1; line < 2 * kLines; ++line) serve(RequestKind::store, line, 15);
  EXPECT_EQ(std::count(recorder.written.begin(), recorder.written.end(), 0u), 0);
  EXPECT_EQ(recorder.written.size(), kLines) << "the others go";
  EXPECT_TRUE(recorder.fetched.empty());
}

TEST_F(DirtyLines, WhatALaunchReadsComesOnceAndCostsNoTime) {
  make();
  EXPECT_EQ(slice->read_line(LineAddress(7)), 4u);
  EXPECT_EQ(slice->read_line(LineAddress(7)), 0u) << "it is here";
  EXPECT_EQ(slice->counters().sectors.fetched, 4u);
  serve(RequestKind::load, 7, 15);
  EXPECT_TRUE(recorder.fetched.empty());
  EXPECT_TRUE(slice->idle());
}

TEST_F(DirtyLines, SomeOfASetMustBeWhole) {
  l2.dirty.partial_ways = kLines;
  EXPECT_THROW(make(), InputError);
}

TEST_F(DirtyLines, SectorsWrittenInPartCostTheArrayMore) {
  l2.write_sector = 64;
  l2.write_partial = 192;
  make();
  EXPECT_EQ(serve(RequestKind::store, 0, 15), 4 * 64u / l2.bytes_per_cycle);
  EXPECT_EQ(serve(RequestKind::store, 1, 0b0011, 0b0001), (64u + 192u) / l2.bytes_per_cycle);
  EXPECT_EQ(serve(RequestKind::load, 0, 15), 128u / l2.bytes_per_cycle);
}

TEST_F(DirtyLines, TheOtherHalfsRequestsBringNoNeighbours) {
  make();
  serve(RequestKind::reduction, 0, 0b0001);
  serve(RequestKind::reduction, 1, 0b0001, 0, true);
  ASSERT_EQ(recorder.fetched.size(), 2u);
  EXPECT_EQ(recorder.fetched[0].sectors, 0b0011) << "64 bytes come where an SM asks first";
  EXPECT_EQ(recorder.fetched[1].sectors, 0b0001);
}

TEST_F(DirtyLines, ASliceCanStartFullOfWrittenLines) {
  l2.dirty.ways = 3;
  make();
  slice->fill_with_written(1000);
  for (std::uint64_t line = 0; line < kLines; ++line) serve(RequestKind::store, line, 15);
  EXPECT_EQ(recorder.written.size(), kLines) << "three of the start, and the oldest of the new ones";
}

TEST_F(DirtyLines, OfTheLinesOfOthersSomeAreWritten) {
  make();
  slice->fill_with_others(1000, 2, true);
  for (std::uint64_t line = 0; line < kLines; ++line) load(line);
  EXPECT_EQ(recorder.written.size(), kLines / 2) << "each second one made room for a line of the program";
  for (std::uint64_t line = kLines; line < 2 * kLines; ++line) load(line);
  EXPECT_EQ(recorder.written.size(), kLines / 2) << "there are no others left";
}

TEST_F(DirtyLines, WithoutCleanLinesOfOthersOnlyASecondFillDisplacesTheWritten) {
  make();
  slice->fill_with_others(1000, 2, false);
  for (std::uint64_t line = 0; line < kLines / 2; ++line) load(line);
  EXPECT_TRUE(recorder.written.empty()) << "half of the ways are empty";
  for (std::uint64_t line = kLines / 2; line < kLines; ++line) load(line);
  EXPECT_EQ(recorder.written.size(), kLines / 2);
}

}  // namespace
}  // namespace sassim::arch
