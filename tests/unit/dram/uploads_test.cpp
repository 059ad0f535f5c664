// SPDX-License-Identifier: Apache-2.0
// Lines that a copy from the host has left in a slice of the L2: how many a set holds, and what displaces them
// (validation/measured/h200/copies.md#copies-in-l2).
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "arch/memory/l2_slice.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

constexpr std::uint32_t kWays = 4;  ///< of the only set

/// Fetched sectors arrive at once.
class Memory final : public L2Slice::Links {
 public:
  void reply(SliceId, const MemRequest&, L2Cycle) override {}
  void credit(const MemRequest&, L2Cycle) override {}
  void fetch(SliceId, const SliceRequest&, std::uint16_t sectors, std::uint32_t pending, L2Cycle) override {
    fetched = {pending, sectors};
  }
  void write_back(SliceId, LineAddress line, std::uint16_t, L2Cycle) override { written.push_back(line); }
  bool can_write_back(SliceId) const override { return true; }
  void pass_on(SliceId, const SliceRequest&, L2Cycle) override {}
  void invalidate_copy(SliceId, const SliceRequest&, L2Cycle) override {}

  std::optional<std::pair<std::uint32_t, std::uint16_t>> fetched;
  std::vector<std::uint64_t> written;
};

class Uploads : public ::testing::Test {
 protected:
  Uploads() {
    l2.slices = 1;
    l2.ways = kWays;
    l2.size = kWays * 128;
    l2.fetch = 128;
  }
  /// Kernels read lines 0, 1, 2 and 3, in this order.
  void fill_set() {
    for (std::uint64_t line = 0; line < kWays; ++line) access(line);
  }
  void make() {
    slice.emplace(config, SliceId(0), memory);
    memory = {};
  }
  static SliceRequest request(std::uint64_t line, bool copy) {
    SliceRequest r;
    r.request.sectors = 15;
    r.line = LineAddress(line);
    r.sectors = 15;
    r.copy = copy;
    return r;
  }
  /// True if the line was in the slice. `copy`: the line's home is in the other half.
  bool access(std::uint64_t line, RequestKind kind = RequestKind::load, bool evicts_first = false, bool copy = false) {
    SliceRequest r = request(line, copy);
    r.request.kind = kind;
    r.request.evicts_first = evicts_first;
    slice->arrive(r, now += L2Cycle(100));
    memory.fetched.reset();
    slice->work(slice->next_event());
    if (!memory.fetched) return true;
    slice->filled(memory.fetched->first, memory.fetched->second, now += L2Cycle(10));
    return false;
  }
  /// A copy on the device.
  void write(std::uint64_t line) { slice->preload(LineAddress(line), true, 0); }
  void upload(std::uint64_t line) { slice->preload(LineAddress(line), false, ways); }
  /// Which of the lines the slice holds after `scenario`. To look for a line changes the slice, so each one has a run.
  template <class Scenario>
  std::vector<std::uint64_t> left(const std::vector<std::uint64_t>& lines, Scenario scenario) {
    std::vector<std::uint64_t> found;
    for (const std::uint64_t line : lines) {
      make();
      scenario();
      if (access(line)) found.push_back(line);
    }
    return found;
  }

  using Lines = std::vector<std::uint64_t>;
  config::Memory config;
  config::L2Config& l2 = config.l2;
  std::uint32_t ways = 1;  ///< that copies from the host may occupy
  Memory memory;
  std::optional<L2Slice> slice;
  L2Cycle now;
};

TEST_F(Uploads, OccupyOneWayOfAFullSet) {
  EXPECT_EQ(left({0, 1, 2, 3, 10}, [&] { fill_set(), upload(10); }), (Lines{1, 2, 3, 10}));
  EXPECT_EQ(left({0, 1, 2, 3, 10, 11}, [&] { fill_set(), upload(10), upload(11); }), (Lines{1, 2, 3, 11}));
}

TEST_F(Uploads, OccupyEmptyWaysToo) {
  EXPECT_EQ(left({10, 11, 12}, [&] { upload(10), upload(11), upload(12); }), (Lines{10, 11, 12}));
  EXPECT_EQ(left({10, 11, 12, 13, 14}, [&] { upload(10), upload(11), upload(12), upload(13), upload(14); }),
            (Lines{11, 12, 13, 14}));
  EXPECT_EQ(left({0, 1, 2, 10, 11}, [&] { access(0), access(1), access(2), upload(10), upload(11); }),
            (Lines{0, 1, 2, 11}))
      << "one way was empty";
  l2.dirty.ways = 2;
  EXPECT_EQ(left({10, 11, 12}, [&] { upload(10), upload(11), upload(12); }), (Lines{10, 11, 12}))
      << "more than dirty lines may occupy";
  EXPECT_EQ(left({0, 10}, [&] { upload(10), access(0); }), (Lines{0, 10})) << "there is an empty way";
}

TEST_F(Uploads, AnyOtherLineDisplacesThemFirst) {
  for (const RequestKind kind : {RequestKind::load, RequestKind::store, RequestKind::reduction})
    EXPECT_EQ(left({1, 2, 3, 10, 20}, [&] { fill_set(), upload(10), access(20, kind); }), (Lines{1, 2, 3, 20}));
  EXPECT_EQ(left({1, 2, 3, 10, 20}, [&] { fill_set(), upload(10), slice->read_line(LineAddress(20)); }),
            (Lines{1, 2, 3, 20}));
  EXPECT_EQ(left({1, 2, 3, 10, 20}, [&] { fill_set(), upload(10), write(20); }), (Lines{1, 2, 3, 20}));
  EXPECT_EQ(left({2, 3, 10, 20, 21}, [&] { fill_set(), upload(10), access(20), access(21); }), (Lines{2, 3, 20, 21}))
      << "then it is the turn of the least recently used line";
}

TEST_F(Uploads, AreOrdinaryLinesAfterAUse) {
  for (const RequestKind kind : {RequestKind::load, RequestKind::store, RequestKind::reduction})
    EXPECT_EQ(left({1, 2, 3, 10, 20}, [&] { fill_set(), upload(10), access(10, kind), access(20); }),
              (Lines{2, 3, 10, 20}));
  EXPECT_EQ(left({1, 2, 3, 10, 20}, [&] { fill_set(), upload(10), slice->read_line(LineAddress(10)), access(20); }),
            (Lines{2, 3, 10, 20}));
  EXPECT_EQ(left({1, 2, 3, 10, 20}, [&] { fill_set(), upload(10), write(10), access(20); }), (Lines{2, 3, 10, 20}));
  EXPECT_EQ(left({1, 2, 3, 10, 11}, [&] { fill_set(), upload(10), access(10), upload(11); }), (Lines{2, 3, 10, 11}))
      << "it does not occupy the way of uploads";
}

TEST_F(Uploads, ThatFindTheirLinesLeaveThemThereToBeDisplacedFirst) {
  EXPECT_EQ(left({0, 1, 2, 3}, [&] { fill_set(), upload(2), upload(3); }), (Lines{0, 1, 2, 3}));
  EXPECT_EQ(left({0, 1, 2, 3, 20}, [&] { fill_set(), upload(3), access(20); }), (Lines{0, 1, 2, 20}));
  EXPECT_EQ(left({0, 1, 2, 3, 10}, [&] { fill_set(), upload(2), upload(3), upload(10); }), (Lines{0, 1, 3, 10}));
  EXPECT_EQ(left({0, 1, 2, 3, 20}, [&] { fill_set(), upload(3), upload(3), access(3), access(20); }),
            (Lines{1, 2, 3, 20}));
}

TEST_F(Uploads, AreDisplacedLikeLinesOfEvictFirst) {
  const auto first = [this](std::uint64_t line, RequestKind kind = RequestKind::load) { access(line, kind, true); };
  EXPECT_EQ(left({1, 2, 3, 10, 20}, [&] { fill_set(), first(10), access(20); }), (Lines{1, 2, 3, 20}));
  EXPECT_EQ(left({1, 2, 3, 20}, [&] { fill_set(), first(3), access(20); }), (Lines{1, 2, 20}))
      << "a hit with the policy: 0 is the oldest";
  for (const RequestKind kind : {RequestKind::load, RequestKind::store})
    EXPECT_EQ(left({1, 2, 3, 10, 20}, [&] { fill_set(), first(10), access(10, kind), access(20); }),
              (Lines{2, 3, 10, 20}))
        << "a use without the policy makes the line ordinary";
  EXPECT_EQ(left({1, 2, 3, 10, 20}, [&] { fill_set(), first(10, RequestKind::store), access(20); }),
            (Lines{2, 3, 10, 20}))
      << "dirty lines are ordinary";
  EXPECT_EQ(left({1, 2, 3, 10, 11}, [&] { fill_set(), first(10), upload(11); }), (Lines{2, 3, 10, 11}))
      << "a copy displaces copies or ordinary lines";
  EXPECT_EQ(left({1, 2, 3, 10, 11}, [&] { fill_set(), upload(10), first(11); }), (Lines{1, 2, 3, 11}));
  EXPECT_EQ(left({2, 3, 10, 11, 12}, [&] { fill_set(), first(10), upload(11), first(12); }), (Lines{2, 3, 11, 12}))
      << "its own kind first";
}

TEST_F(Uploads, FindTheWaysOfDroppedCopiesEmpty) {
  l2.dirty.ways = 2;
  EXPECT_EQ(left({10, 11},
                 [&] {
                   for (std::uint64_t line = 0; line < 3; ++line) access(line, RequestKind::load, true, true);
                   for (std::uint64_t line = 0; line < 3; ++line) slice->drop_copy(request(line, true));
                   upload(10), upload(11);
                 }),
            (Lines{10, 11}));
}

TEST_F(Uploads, OccupyAsManyWaysAsTheyMay) {
  ways = 2;
  EXPECT_EQ(left({2, 3, 10, 11}, [&] { fill_set(), upload(10), upload(11); }), (Lines{2, 3, 10, 11}));
  EXPECT_EQ(left({2, 3, 10, 11, 12}, [&] { fill_set(), upload(10), upload(11), upload(12); }), (Lines{2, 3, 11, 12}));
  EXPECT_EQ(left({2, 3, 10, 11, 20}, [&] { fill_set(), upload(10), upload(11), access(20); }), (Lines{2, 3, 11, 20}));
}

TEST_F(Uploads, AreLikeOtherLinesWithoutWaysOfTheirOwn) {
  ways = 0;
  EXPECT_EQ(left({2, 3, 10, 11}, [&] { fill_set(), upload(10), upload(11); }), (Lines{2, 3, 10, 11}));
  EXPECT_EQ(left({2, 3, 10, 11, 20}, [&] { fill_set(), upload(10), upload(11), access(20); }), (Lines{3, 10, 11, 20}));
}

TEST_F(Uploads, GoFirstUnderEveryPolicy) {
  for (const char* policy : {"lru", "random", "fifo", "not_recent", "priorities", "ages"}) {
    l2.replacement = policy;
    const auto uploads = [&] { fill_set(), upload(10), upload(11); };
    EXPECT_EQ(left({0, 1, 2, 3, 10, 11}, uploads).size(), kWays) << policy;
    EXPECT_EQ(left({10, 11}, uploads), Lines{11}) << policy;
    EXPECT_EQ(left({11, 20}, [&] { uploads(), access(20); }), Lines{20}) << policy;
  }
}

TEST_F(Uploads, NeedNoWriteBack) {
  make();
  write(10);
  upload(10);
  for (std::uint64_t line = 0; line < kWays; ++line) access(line);
  EXPECT_TRUE(memory.written.empty());
}

TEST_F(Uploads, LeaveNothingInAnEmptiedSlice) {
  EXPECT_EQ(left({0, 1, 2, 3, 20},
                 [&] {
                   upload(10);
                   slice->clear();
                   fill_set(), access(20);
                 }),
            (Lines{1, 2, 3, 20}));
}

}  // namespace
}  // namespace sassim::arch
