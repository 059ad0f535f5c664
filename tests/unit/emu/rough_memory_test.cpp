// SPDX-License-Identifier: Apache-2.0
// The rough clocks' way from an SM to the L2: who waits for whom, and who sees a store when?
#include "sim/emu/rough_memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sim/emu/machine.h"
#include "sim/emu/timing.h"

namespace sassim::emu {
namespace {

constexpr std::uint64_t kLine = 128, kHome = 4096, kNear = 280, kFar = 190, kTurn = 25;

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
    block_.grid = &grid_;
    block_.sm = &sm_;
    block_.turns.resize(1);
    warp_.block = &block_;
  }
  void post_word(std::uint64_t now, std::uint32_t value) {
    warp_.time.now = now;
    Context context{.grid = grid_, .block = block_, .warp = warp_};
    PostedStore::Lane lane{.at = reinterpret_cast<std::byte*>(&word_), .address = 0x1000, .bytes = {}};
    std::memcpy(lane.bytes.data(), &value, sizeof value);
    post(context, {.lanes = {lane}, .bytes = 4, .time = 0});
  }

  Grid grid_;
  Block block_;
  Warp warp_;
  RoughSm sm_;
  std::uint32_t word_ = 0;
};

TEST_F(RoughWay, AStoreIsSeenWhenItsTurnHasCome) {
  post_word(10, 1);
  EXPECT_EQ(word_, 1u) << "the way is free";
  sm_.memory_free = 500;
  post_word(20, 2);
  EXPECT_EQ(word_, 1u);
  EXPECT_EQ(choose_next(sm_), nullptr);
  ASSERT_TRUE(sm_.next);
  perform(grid_, sm_, sm_.waiting.front().store, 500);
  EXPECT_EQ(word_, 2u);
}

TEST_F(RoughWay, WhoComesLaterGoesLater) {
  sm_.memory_free = 500;
  post_word(20, 2);
  sm_.waiting.push_back({.warp = &warp_});
  warp_.time.parked = true;
  EXPECT_EQ(choose_next(sm_), nullptr);
  EXPECT_EQ(choose_next(sm_), nullptr) << "the store is next";
  perform(grid_, sm_, sm_.waiting.front().store, 500);
  sm_.waiting.pop_front();
  sm_.next = false;
  EXPECT_EQ(choose_next(sm_), &warp_);
  EXPECT_FALSE(warp_.time.parked);
  EXPECT_GT(warp_.time.now, 500u);
}

TEST_F(RoughWay, MemoryThatIsFreedHasItsStores) {
  sm_.memory_free = 500;
  post_word(20, 2);
  finish_stores(sm_);
  EXPECT_EQ(word_, 2u);
  word_ = 3;
  perform(grid_, sm_, sm_.waiting.front().store, 500);
  EXPECT_EQ(word_, 3u);
}

}  // namespace
}  // namespace sassim::emu
