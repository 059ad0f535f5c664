// SPDX-License-Identifier: Apache-2.0
// The rough clocks' way from an SM to the L2: who waits for whom, and who sees a store when?
#include "sim/emu/order/rough_memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sim/emu/core/machine.h"
#include "sim/emu/order/timing.h"

namespace sassim::emu {
namespace {

constexpr std::uint64_t kLine = 128, kHome = 4096, kNear = 280, kFar = 190, kTurn = 18;

/// An SM of one half reads, and a chip's first lines at home here and there.
class RoughHalves : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint64_t address = 0; near_ == 0 || far_ == 0; address += kHome) {
      const std::uint64_t dram = latency(address + kHome, Request::atomic, false) > 0 ? 0 : 1;
      ask(address + kHome, Request::atomic, false);
      (latency(address + kHome, Request::atomic, false) + dram == kNear ? near_ : far_) = address + kHome;
    }
  }
  RoughMemory::Answer ask(std::uint64_t address, Request request, bool upper) {
    now_ += 1000;
    return memory_.ask(now_, address, request, true, upper);
  }
  std::uint64_t latency(std::uint64_t address, Request request, bool upper) {
    const RoughMemory::Answer answer = ask(address, request, upper);
    return answer.arrives - now_;
  }

  RoughMemory memory_;
  std::uint64_t now_ = 0, near_ = 0, far_ = 0;  ///< lines for the lower half, no longer in DRAM
};

TEST_F(RoughHalves, FarLinesTakeLongerUntilTheyHaveACopy) {
  EXPECT_EQ(latency(near_, Request::load, false), kNear);
  EXPECT_EQ(latency(far_, Request::load, false), kNear + kFar);
  EXPECT_EQ(latency(far_, Request::load, false), kNear);
  EXPECT_EQ(latency(far_, Request::load, true), kNear);
  EXPECT_EQ(latency(near_, Request::load, true), kNear + kFar);
}

TEST_F(RoughHalves, StoresLeaveACopyAndTakeThatOfTheOtherHalf) {
  ask(far_, Request::store, false);
  EXPECT_EQ(latency(far_, Request::load, false), kNear);
  ask(far_, Request::store, true);
  EXPECT_EQ(latency(far_, Request::load, false), kNear + kFar);
}

TEST_F(RoughHalves, AtomicsGoHomeAndLeaveNothing) {
  EXPECT_EQ(latency(far_, Request::atomic, false), kNear + kFar);
  EXPECT_EQ(latency(far_, Request::atomic, false), kNear + kFar);
  EXPECT_EQ(latency(far_, Request::load, false), kNear + kFar);
}

// A word that both halves keep storing to: the half where it is at home has to wait for its turns.
TEST_F(RoughHalves, WhereAWordIsAtHomeItsStoresWaitForThoseFromFarAway) {
  const auto store = [&](bool upper) { return memory_.ask(now_, near_, Request::store, true, upper).begins - now_; };
  now_ += 1000;
  EXPECT_LT(store(false), 5u);
  EXPECT_LT(store(false), 5u);
  now_ += 1000;
  for (int i = 0; i < 2; ++i) EXPECT_LT(store(true), 5u);
  EXPECT_LT(store(false), 10u) << "the first turn is free";
  EXPECT_GE(store(false), kTurn);
  EXPECT_GE(store(false), 2 * kTurn);
  EXPECT_LT(store(true), 15u);
  now_ += 1000;
  EXPECT_LT(store(false), 5u) << "nobody else stores there now";
}

TEST(RoughMemory, RequestsOfASliceWaitForEachOther) {
  RoughMemory memory;
  for (int i = 0; i < 4; ++i)  // 1.5 cycles each
    EXPECT_EQ(memory.ask(100, 0, Request::load, false, false).begins, 100u + static_cast<unsigned>(i) * 3 / 2);
  EXPECT_EQ(memory.ask(100, kLine, Request::load, false, false).begins, 100u);
}

class RoughWay : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::uint64_t base = memory_.allocate(kBytes);
    for (std::uint64_t address = base; other_ == 0; address += kLine)
      if (word_ == 0)
        word_ = address;
      else if (RoughSm::way_of(address) != RoughSm::way_of(word_))
        other_ = address;
    grid_.memory = &memory_;
    block_.grid = &grid_;
    block_.sm = &sm_;
    block_.turns.resize(2);
    block_.warps.resize(2);
    for (Warp& warp : block_.warps) warp.block = &block_;
    block_.warps[1].index = 1;
  }
  std::uint32_t at(std::uint64_t address) {
    std::uint32_t value = 0;
    memory_.read(address, &value, sizeof value);
    return value;
  }
  void post_words(std::uint64_t now, std::initializer_list<std::uint64_t> addresses, std::uint32_t value) {
    block_.warps[0].time.now = now;
    Context context{.grid = grid_, .block = block_, .warp = block_.warps[0]};
    PostedStore store{.lanes = {}, .bytes = 4};
    for (const std::uint64_t address : addresses) {
      store.lanes.push_back({.at = memory_.host(address, 4), .address = address, .bytes = {}});
      std::memcpy(store.lanes.back().bytes.data(), &value, sizeof value);
    }
    post(context, std::move(store));
  }
  /// A plain load of a word by each of two lanes.
  bool may_load(std::uint64_t now, std::uint64_t first, std::uint64_t second) {
    Warp& warp = block_.warps[1];
    warp.time.now = now;
    Fragment fragment{.mask = 3};
    Lanes registers[4] = {};
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t address = i == 0 ? first : second;
      registers[2].v[i] = static_cast<std::uint32_t>(address);
      registers[3].v[i] = static_cast<std::uint32_t>(address >> 32);
    }
    warp.registers = registers;
    warp.predicates[isa::kPT] = kAllLanes;
    Context context{.grid = grid_, .block = block_, .warp = warp};
    context.fragment = &fragment;
    MicroOp op;
    op.memory = op.plain = op.loads = true;
    op.space = static_cast<std::uint8_t>(isa::Space::global);
    op.address.base = 2;
    op.address.base_wide = true;
    ++grid_.loads;
    return may_access(context, op);
  }
  RoughSm::Queue& way(std::uint64_t address) { return sm_.queues[RoughSm::way_of(address)]; }

  static constexpr std::uint64_t kBytes = 4096;
  DeviceMemory memory_;
  Grid grid_;
  Block block_;
  RoughSm sm_;
  std::uint64_t word_ = 0, other_ = 0;  ///< words of two groups of slices
};

TEST_F(RoughWay, AStoreIsSeenWhenItsTurnHasCome) {
  post_words(10, {word_}, 1);
  EXPECT_EQ(at(word_), 1u) << "the way is free";
  sm_.out().free = 500;
  post_words(20, {word_}, 2);
  EXPECT_EQ(at(word_), 1u);
  EXPECT_EQ(choose_next(sm_.out()), nullptr);
  ASSERT_TRUE(sm_.out().next);
  go_on_with_store(grid_, sm_, sm_.out(), 500);
  EXPECT_EQ(at(word_), 2u);
}

TEST_F(RoughWay, WhoComesLaterGoesLater) {
  sm_.out().free = 500;
  post_words(20, {word_}, 2);
  EXPECT_FALSE(may_load(30, word_, word_));
  EXPECT_EQ(choose_next(sm_.out()), nullptr);
  EXPECT_EQ(choose_next(sm_.out()), nullptr) << "the store is next";
  go_on_with_store(grid_, sm_, sm_.out(), 500);
  Warp& warp = block_.warps[1];
  EXPECT_EQ(choose_next(sm_.out()), &warp);
  EXPECT_FALSE(warp.time.parked);
  EXPECT_GT(warp.time.now, 500u);
}

TEST_F(RoughWay, AStoreThatWaitsForItsSlicesKeepsOthersToThemWaitingOnly) {
  way(word_).free = 500;
  post_words(20, {word_, other_}, 2);
  EXPECT_EQ(at(word_), 0u);
  EXPECT_EQ(at(other_), 2u);
  post_words(30, {word_}, 3);
  EXPECT_TRUE(may_load(100, other_, other_));
  EXPECT_FALSE(may_load(110, word_, word_));
  EXPECT_EQ(choose_next(way(word_)), nullptr);
  go_on_with_store(grid_, sm_, way(word_), 500);
  EXPECT_EQ(at(word_), 2u) << "in their order";
  EXPECT_TRUE(block_.warps[1].time.parked);
}

TEST_F(RoughWay, WhatFindsItsWayFreeIsReadAheadOfTheRestOfItsLoad) {
  way(word_).free = 500;
  EXPECT_FALSE(may_load(100, word_, other_));
  EXPECT_TRUE(sm_.l1.has(other_));
  EXPECT_FALSE(sm_.l1.has(word_));
  EXPECT_TRUE(block_.warps[1].time.admitted);
  EXPECT_EQ(block_.warps[1].time.now, 500u);
  EXPECT_TRUE(may_load(500, word_, other_));
  way(word_).free = 900;
  sm_.l1.load(memory_, word_, 1);
  EXPECT_TRUE(may_load(600, word_, other_)) << "the L1 has both";
}

TEST_F(RoughWay, MemoryThatIsFreedHasItsStores) {
  sm_.out().free = way(other_).free = 500;
  post_words(20, {word_}, 2);
  sm_.out().free = 0;
  EXPECT_EQ(choose_next(sm_.out()), nullptr);
  go_on_with_store(grid_, sm_, sm_.out(), 30);
  EXPECT_EQ(at(word_), 2u);
  post_words(40, {other_}, 3);
  EXPECT_EQ(at(other_), 0u);
  finish_stores(sm_);
  EXPECT_EQ(at(other_), 3u);
  EXPECT_EQ(choose_next(way(other_)), nullptr);
  post_words(50, {word_}, 4);
  go_on_with_store(grid_, sm_, way(other_), 500);
  EXPECT_EQ(at(word_), 4u);
}

}  // namespace
}  // namespace sassim::emu
