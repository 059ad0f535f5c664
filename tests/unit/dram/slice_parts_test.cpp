// SPDX-License-Identifier: Apache-2.0
// What a slice's atomic unit takes for requests of waves, who waits behind them, and what requests take of the wires.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "arch/memory/l2_slice.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

class Sink final : public L2Slice::Links {
 public:
  void reply(SliceId, const MemRequest& request, L2Cycle) override { answered.push_back(request.kind); }
  void credit(const MemRequest&, L2Cycle) override {}
  void fetch(SliceId, const SliceRequest&, std::uint16_t, std::uint32_t, L2Cycle) override {}
  void write_back(SliceId, LineAddress, std::uint16_t, L2Cycle) override {}
  bool can_write_back(SliceId) const override { return true; }
  void pass_on(SliceId, const SliceRequest&, L2Cycle) override {}
  void invalidate_copy(SliceId, const SliceRequest&, L2Cycle) override {}
  std::vector<RequestKind> answered;
};

class AtomicUnit : public ::testing::Test {
 protected:
  AtomicUnit() {
    l2.slices = 1;
    l2.ways = 8;
    l2.size = 8 * 128;
    l2.bytes_per_cycle = 1024;
    l2.atomic_partial_interval = 1.25;
    l2.atomic_float_interval = 3;
    l2.atomic_turn = 3;
    l2.atomic_minimum = 1.6;
    l2.atomic_result_minimum = 2;
    crossbar.slice_request_bytes_per_cycle = 4096;
    slice.emplace(memory, SliceId(0), sink);
    for (std::uint64_t line = 0; line < 8; ++line) {
      slice->arrive(make(RequestKind::store, line, 15, 0), L2Cycle(0));
      run();
    }
  }
  static SliceRequest make(RequestKind kind, std::uint64_t line, std::uint16_t sectors, std::uint16_t partial) {
    SliceRequest r;
    r.request.kind = kind;
    r.request.sectors = static_cast<std::uint8_t>(sectors);
    r.request.data_bytes = 4;
    r.line = LineAddress(line);
    r.sectors = sectors;
    r.partial = partial;
    return r;
  }
  std::uint64_t run() {
    L2Cycle now;
    while (slice->queued() > 0) slice->work(now = slice->next_event());
    return now.value;
  }
  /// Cycles of the unit for a request, of many in turn to so many lines.
  double interval(SliceRequest request, std::uint64_t lines = 1) {
    const std::uint64_t start = 1000;
    constexpr int kMany = 400;
    for (int i = 0; i <= kMany; ++i) {
      request.line = LineAddress(static_cast<std::uint64_t>(i) % lines);
      slice->arrive(request, L2Cycle(start));
    }
    return static_cast<double>(run() - start) / kMany;
  }

  config::Memory memory;
  config::L2Config& l2 = memory.l2;
  config::CrossbarConfig& crossbar = memory.crossbar;
  Sink sink;
  std::optional<L2Slice> slice;
};

// h200/waiting.md#reductions.
TEST_F(AtomicUnit, TakesLongerForSectorsOfWhichAPartChanges) {
  EXPECT_NEAR(interval(make(RequestKind::reduction, 0, 0b0001, 0b0001)), 1.25, 0.02);
}
TEST_F(AtomicUnit, TakesACycleForAWholeSector) {
  EXPECT_NEAR(interval(make(RequestKind::reduction, 0, 0b1111, 0)), 4, 0.02);
}
TEST_F(AtomicUnit, TakesItsMinimumForALineThatWasNotUsedLately) {
  EXPECT_NEAR(interval(make(RequestKind::reduction, 0, 0b0001, 0b0001), 5), 1.6, 0.02);
}
TEST_F(AtomicUnit, TakesLongerForSuchALineIfTheOldValueReturns) {
  EXPECT_NEAR(interval(make(RequestKind::atomic, 0, 0b0001, 0b0001), 5), 2, 0.02);
}
TEST_F(AtomicUnit, TakesNoLongerForTheOldValueOfALineThatWasUsedLately) {
  EXPECT_NEAR(interval(make(RequestKind::atomic, 0, 0b0001, 0b0001), 4), 1.25, 0.02);
}
TEST_F(AtomicUnit, ComesBackToALineWhenThatIsWritten) {
  EXPECT_NEAR(interval(make(RequestKind::reduction, 0, 0b0001, 0b0001), 2), l2.atomic_turn / 2, 0.02);
}
TEST_F(AtomicUnit, DoesNotWaitWhereThreeOthersComeBetween) {
  EXPECT_NEAR(interval(make(RequestKind::reduction, 0, 0b0001, 0b0001), 4), 1.25, 0.02);
}
TEST_F(AtomicUnit, WaitsWhereOnlyEverySecondWantsTheOldValue) {
  const std::uint64_t start = 1000;
  constexpr int kMany = 400;
  for (int i = 0; i <= kMany; ++i)
    slice->arrive(make(i % 2 == 0 ? RequestKind::reduction : RequestKind::atomic, 0, 0b0001, 0b0001), L2Cycle(start));
  EXPECT_NEAR(static_cast<double>(run() - start) / kMany, l2.atomic_turn, 0.02);
}
TEST_F(AtomicUnit, TakesOperandsBySectors) {
  SliceRequest swap = make(RequestKind::atomic, 0, 0b0001, 0b0001);
  swap.request.data_bytes = 64;
  EXPECT_NEAR(interval(swap), 2, 0.02);
}
TEST_F(AtomicUnit, WaitsForTheResultWhereFloatingPointOperationsMeet) {
  SliceRequest add = make(RequestKind::reduction, 0, 0b0001, 0b0001);
  add.request.atomic.floating = true;
  EXPECT_NEAR(interval(add), 3, 0.02);
}
TEST_F(AtomicUnit, DoesNotWaitWhereTheyFollowInOtherSectors) {
  SliceRequest add = make(RequestKind::reduction, 0, 0b1111, 0b1111);
  add.request.atomic.floating = true;
  EXPECT_NEAR(interval(add), 5, 0.02);
}

// Without waves a request names how many of its lanes meet on a word: the first takes what a request takes, the others
// more.
TEST_F(AtomicUnit, TakesOneRequestACycleForOneWordAndLongerForLanesThatMeet) {
  l2.atomic_partial_interval = 0;
  l2.atomic_lane_latency = 1.65;
  const auto taken = [&](std::uint16_t sectors, std::uint8_t serial) {
    slice.emplace(memory, SliceId(0), sink);
    slice->arrive(make(RequestKind::store, 0, 15, 0), L2Cycle(0));
    run();
    SliceRequest add = make(RequestKind::reduction, 0, sectors, sectors);
    add.request.atomic.serial = serial;
    return interval(add);
  };
  EXPECT_NEAR(taken(0b0001, 1), 1, 0.02);
  EXPECT_NEAR(taken(0b0001, 5), 1 + 4 * l2.atomic_lane_latency, 0.5);
  EXPECT_NEAR(taken(0b1111, 1), 4, 0.02);
}

TEST_F(AtomicUnit, TheOtherHalfsLoadsPassAtomicsButThoseOfTheirLine) {
  const auto position = [&](std::uint64_t line) {
    sink.answered.clear();
    for (int i = 0; i < 8; ++i) slice->arrive(make(RequestKind::reduction, 0, 1, 1), L2Cycle(1000));
    SliceRequest load = make(RequestKind::load, line, 1, 0);
    load.request.from = Endpoint::of_slice(SliceId(1));
    slice->arrive(load, L2Cycle(1000));
    run();
    return std::find(sink.answered.begin(), sink.answered.end(), RequestKind::load) - sink.answered.begin();
  };
  EXPECT_LT(position(1), 2);
  EXPECT_EQ(position(0), 8);
}

// Who waits for a slice's data array: hits and what is written. A miss takes the tags' cycle only, and what it brings
// takes the array beside further lookups.

class Below final : public L2Slice::Links {
 public:
  void reply(SliceId, const MemRequest& request, L2Cycle time) override {
    if (request.tag < 64) replied[request.tag] = time.value;
  }
  void credit(const MemRequest&, L2Cycle) override {}
  void fetch(SliceId, const SliceRequest&, std::uint16_t, std::uint32_t pending, L2Cycle time) override {
    fetched.push_back(time.value);
    pendings.push_back(pending);
  }
  void write_back(SliceId, LineAddress, std::uint16_t, L2Cycle) override {}
  bool can_write_back(SliceId) const override { return true; }
  void pass_on(SliceId, const SliceRequest&, L2Cycle) override {}
  void invalidate_copy(SliceId, const SliceRequest&, L2Cycle) override {}
  std::vector<std::uint64_t> fetched, replied = std::vector<std::uint64_t>(64);
  std::vector<std::uint32_t> pendings;
};

constexpr std::uint64_t kPasses = 4;  ///< cycles of the array for a line

class DataArray : public ::testing::Test {
 protected:
  DataArray() {
    l2.slices = 1;
    l2.ways = 16;
    l2.size = 16 * 128;
    l2.fetch = 128;
    l2.bytes_per_cycle = 128 / kPasses;
    crossbar.slice_request_bytes_per_cycle = crossbar.slice_reply_bytes_per_cycle = 4096;
    slice.emplace(memory, SliceId(0), links);
  }
  void load(std::uint64_t line, std::uint64_t now) {
    SliceRequest r;
    r.request.kind = RequestKind::load;
    r.request.tag = static_cast<std::uint32_t>(line);
    r.request.sectors = 15;
    r.line = LineAddress(line);
    r.sectors = 15;
    slice->arrive(r, L2Cycle(now));
  }
  void run() {
    while (slice->next_event() != kNeverL2) slice->work(slice->next_event());
  }
  config::Memory memory;
  config::L2Config& l2 = memory.l2;
  config::CrossbarConfig& crossbar = memory.crossbar;
  Below links;
  std::optional<L2Slice> slice;
};

TEST_F(DataArray, MissesTakeACycleOfTheTagsEach) {
  for (std::uint64_t line = 0; line < 4; ++line) load(line, 100);
  run();
  for (std::uint64_t i = 1; i < 4; ++i) EXPECT_EQ(links.fetched[i], links.fetched[0] + i);
}

TEST_F(DataArray, WhatComesFromBelowKeepsHitsWaitingAndNoMisses) {
  load(0, 0), load(1, 0);
  run();
  slice->filled(links.pendings[0], 15, L2Cycle(1000));
  load(0, 2000);
  run();
  const std::uint64_t alone = links.replied[0] - 2000;
  slice->filled(links.pendings[1], 15, L2Cycle(3000));
  load(2, 3000), load(0, 3000);
  run();
  EXPECT_LE(links.fetched[2], 3001u);
  EXPECT_EQ(links.replied[0] - 3000, alone + kPasses - 1) << "of which one goes by on the way in";
}

TEST_F(DataArray, HitsWaitForEachOther) {
  load(0, 0), load(1, 0);
  run();
  slice->filled(links.pendings[0], 15, L2Cycle(1000));
  slice->filled(links.pendings[1], 15, L2Cycle(1000));
  load(0, 2000), load(1, 2000);
  run();
  EXPECT_EQ(links.replied[1], links.replied[0] + kPasses);
}

}  // namespace
}  // namespace sassim::arch

// Stores of parts of sectors: what a slice reads from DRAM for them, and what they take of its time.
namespace sassim::arch {
namespace {

class CountingLinks final : public L2Slice::Links {
 public:
  void reply(SliceId, const MemRequest&, L2Cycle) override {}
  void credit(const MemRequest&, L2Cycle) override {}
  void fetch(SliceId, const SliceRequest&, std::uint16_t sectors, std::uint32_t, L2Cycle) override {
    fetched += std::popcount(sectors);
  }
  void write_back(SliceId, LineAddress, std::uint16_t sectors, L2Cycle) override { written += std::popcount(sectors); }
  bool can_write_back(SliceId) const override { return true; }
  void pass_on(SliceId, const SliceRequest&, L2Cycle) override {}
  void invalidate_copy(SliceId, const SliceRequest&, L2Cycle) override { ++invalidated; }
  int fetched = 0, written = 0, invalidated = 0;
};

class StoredParts : public ::testing::Test {
 protected:
  StoredParts() {
    l2.slices = 1;
    l2.ways = 8;
    l2.size = 8 * 128;
    l2.dirty.ways = 2;
    l2.dirty.partial_ways = 2;
    l2.bytes_per_cycle = 32;
    crossbar.slice_request_bytes_per_cycle = 4096;
  }
  void start() { slice.emplace(memory, SliceId(0), sink); }
  /// A store of eight bytes of the line's first sector, or of each of its `sectors`. `far`: of an SM of the other half.
  void store(std::uint64_t line, std::uint32_t eighth, std::uint64_t now = 0, std::uint16_t sectors = 1,
             bool far = false) {
    SliceRequest r;
    r.request.kind = RequestKind::store;
    r.request.sectors = r.request.partial = static_cast<std::uint8_t>(sectors);
    r.request.bytes = {std::uint64_t{0xff} << 8 * eighth, 0};
    r.line = LineAddress(line);
    r.sectors = r.partial = sectors;
    r.passed_on = far;
    slice->arrive(r, L2Cycle(now));
  }
  void store_whole(std::uint64_t line) {
    SliceRequest r;
    r.request.kind = RequestKind::store;
    r.request.sectors = 1;
    r.line = LineAddress(line);
    r.sectors = 1;
    slice->arrive(r, L2Cycle{});
  }
  std::uint64_t run() {
    L2Cycle now;
    while (slice->queued() > 0 && slice->next_event() != kNeverL2) slice->work(now = slice->next_event());
    return now.value;
  }
  /// The cycles from a store of eight bytes until the slice can serve another one.
  std::uint64_t time_of(std::uint64_t line, bool far = false) {
    begin += 1000;
    store(line, 0, begin, 1, far);
    store(3, 0, begin);
    return run() - begin;
  }
  /// Three lines, of which only two may be dirty or partial.
  void fill_a_set() {
    for (std::uint64_t line = 0; line < 3; ++line)
      for (std::uint32_t part = 0; part < 4; ++part) store(line, part);
    run();
  }

  config::Memory memory;
  config::L2Config& l2 = memory.l2;
  config::CrossbarConfig& crossbar = memory.crossbar;
  CountingLinks sink;
  std::uint64_t begin = 0;
  std::optional<L2Slice> slice;
};

TEST_F(StoredParts, SectorsBecomeWholePartByPartWhereTheirBytesAreKnown) {
  l2.byte_masks = true;
  start();
  fill_a_set();
  EXPECT_EQ(sink.fetched, 0);
  EXPECT_EQ(sink.written, 1);
}

TEST_F(StoredParts, SectorsAreCompletedFromDramWhereTheirBytesAreNotKnown) {
  start();
  fill_a_set();
  EXPECT_EQ(sink.fetched, 1);
}

TEST_F(StoredParts, ALineKnowsNothingOfTheOneWhosePlaceItTakes) {
  l2.ways = 1;
  l2.size = 128;
  l2.dirty = {};
  l2.byte_masks = true;
  start();
  for (const auto& [line, part] : {std::pair{0u, 0u}, {0u, 1u}, {0u, 2u}, {1u, 0u}, {1u, 3u}}) store(line, part);
  run();
  EXPECT_EQ(slice->held_bytes(), 32u) << "one sector is dirty, and none valid";
}

TEST_F(StoredParts, ASectorOfWhichThreeQuartersAreThereIsCompleted) {
  l2.byte_masks = true;
  start();
  for (std::uint64_t line = 0; line < 3; ++line)
    for (std::uint32_t part = 0; part < 3; ++part) store(line, part);
  run();
  EXPECT_EQ(sink.fetched, 1);
}

TEST_F(StoredParts, ALoadFindsWhatSeveralStoresHaveFilledAlsoIfItsWriteBackReadsItAgain) {
  l2.byte_masks = l2.dirty.reread = true;
  start();
  for (std::uint32_t part = 0; part < 4; ++part) store(0, part);
  SliceRequest load;
  load.request.sectors = 1;
  load.sectors = 1;
  slice->arrive(load, L2Cycle{});
  run();
  EXPECT_EQ(slice->pending(), 0u);
  EXPECT_EQ(sink.fetched, 0) << "a load";
  for (std::uint64_t line = 1; line < 3; ++line)
    for (std::uint32_t part = 0; part < 4; ++part) store(line, part);
  run();
  EXPECT_EQ(sink.fetched, 1) << "the third line makes the first one leave";
}

TEST_F(StoredParts, ASectorThatOneStoreHasFilledIsNotReadAgain) {
  l2.byte_masks = l2.dirty.reread = true;
  start();
  fill_a_set();
  EXPECT_EQ(sink.fetched, 1);
  start();
  for (std::uint64_t line = 0; line < 3; ++line) {
    for (std::uint32_t part = 0; part < 4; ++part) store(line, part);
    store_whole(line);
  }
  run();
  EXPECT_EQ(sink.fetched, 1) << "as before";
}

TEST_F(StoredParts, SectorsGoAsTheyAreWhereAnyNumberMayBeThereInPart) {
  l2.dirty.partial_ways = 0;
  start();
  fill_a_set();
  EXPECT_EQ(sink.fetched, 0);
  EXPECT_EQ(sink.written, 1);
}

TEST_F(StoredParts, ARequestTakesItsTimeToMergeOnceForAllOfItsSectors) {
  l2.dirty.partial_ways = l2.dirty.ways = 0;
  l2.write_merge = 96;
  const auto cycles = [&](std::uint16_t sectors) {
    start();
    constexpr int kMany = 100;
    for (int i = 0; i <= kMany; ++i) store(0, 0, 1000, sectors);
    return static_cast<double>(run() - 1000) / kMany;
  };
  EXPECT_NEAR(cycles(0b0001), 3, 0.05);
  EXPECT_NEAR(cycles(0b1111), 4, 0.05);
}

TEST_F(StoredParts, NearStoresToALineWaitForEachOthersInvalidations) {
  l2.dirty.partial_ways = l2.dirty.ways = 0;
  memory.halves.invalidation_interval = 6;
  start();
  constexpr std::uint64_t kInput = 1;  // a near store comes through the input link, a far one through the other half
  EXPECT_EQ(time_of(1), kInput + 1) << "near, no copy";
  EXPECT_EQ(time_of(1, true), 1) << "far";
  EXPECT_EQ(time_of(1), kInput + 1) << "near, the other half has stored";
  EXPECT_EQ(sink.invalidated, 1);
  EXPECT_EQ(time_of(1), kInput + 1) << "near, the copy is gone";
  EXPECT_EQ(sink.invalidated, 1);
  // By turns each near store invalidates what the far one before it has left; 6 cycles lie between two of them.
  const auto by_turns = [&](auto line_of) {
    begin += 1000;
    for (std::uint64_t i = 0; i < 10; ++i) {
      store(line_of(i), 0, begin, 1, true);
      store(line_of(i), 0, begin);
    }
    return run() - begin;
  };
  EXPECT_NEAR(static_cast<double>(by_turns([](std::uint64_t) { return 1; })), 9 * 6, 8) << "one line";
  EXPECT_NEAR(static_cast<double>(by_turns([](std::uint64_t i) { return i + 10; })), 20, 4) << "ten lines";
}

TEST_F(StoredParts, AStoreThatPassesToTheOtherHalfTakesACycleOfTheSlice) {
  start();
  const std::uint64_t alone = time_of(1);
  begin += 1000;
  for (int i = 0; i < 10; ++i) slice->let_pass(L2Cycle(begin));
  store(2, 0, begin);
  store(3, 0, begin);
  EXPECT_EQ(run() - begin, alone + 10 - 1) << "the first cycle is that of the input link";
}

TEST_F(StoredParts, LongerLinesThanAStoreCanWriteAreRefused) {
  l2.byte_masks = true;
  l2.line = 256;
  l2.size = 8 * 256;
  EXPECT_THROW(start(), InputError);
}

}  // namespace
}  // namespace sassim::arch
