// SPDX-License-Identifier: Apache-2.0
// Stores of parts of sectors: what a slice reads from DRAM for them, and what they take of its time.
#include <gtest/gtest.h>

#include <bit>
#include <optional>

#include "arch/memory/l2_slice.h"
#include "sim/config/gpu_config.h"

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

TEST_F(StoredParts, TheFirstFarStoreOfAPartTakesLongerAndTheNextNearOneInvalidatesItsCopy) {
  l2.dirty.partial_ways = l2.dirty.ways = 0;
  memory.halves.store_merge = 128;
  memory.halves.invalidation = 192;
  start();
  constexpr std::uint64_t kInput = 1;  // a near store comes through the input link, a far one through the other half
  EXPECT_EQ(time_of(1), kInput + 1) << "near, no copy";
  EXPECT_EQ(time_of(1, true), 128 / 32) << "far";
  EXPECT_EQ(time_of(1, true), 1) << "far, its copy is there";
  EXPECT_EQ(time_of(1), kInput + 192 / 32) << "near, the other half has stored";
  EXPECT_EQ(sink.invalidated, 1);
  EXPECT_EQ(time_of(1), kInput + 1) << "near, the copy is gone";
  EXPECT_EQ(time_of(2, true), 128 / 32) << "another line";
  EXPECT_EQ(time_of(1), kInput + 1) << "copies of other lines do not matter";
  EXPECT_EQ(sink.invalidated, 1);
}

TEST_F(StoredParts, LongerLinesThanAStoreCanWriteAreRefused) {
  l2.byte_masks = true;
  l2.line = 256;
  l2.size = 8 * 256;
  EXPECT_THROW(start(), InputError);
}

}  // namespace
}  // namespace sassim::arch
