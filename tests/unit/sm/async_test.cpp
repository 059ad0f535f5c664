// SPDX-License-Identifier: Apache-2.0
// What warps wait for, each on its own: groups of copies to shared memory, barriers in shared memory, sleeps.
#include <gtest/gtest.h>

#include "arch/sm/sync/async_groups.h"
#include "arch/sm/sync/nap.h"
#include "arch/sm/sync/shared_barriers.h"

namespace sassim::arch {
namespace {

TEST(AsyncGroups, AGroupEndsWhenItsCopiesAndAllGroupsBeforeAreDone) {
  AsyncGroups groups;
  const std::uint32_t slow = groups.copy_issued(), other = groups.copy_issued();
  EXPECT_EQ(slow, other) << "one group until it is closed";
  EXPECT_EQ(groups.finished(), nullptr);
  groups.close({CodeLine(7), Cycle(10)}, true);
  const std::uint32_t quick = groups.copy_issued();
  EXPECT_NE(quick, slow);
  groups.close({CodeLine(8), Cycle(20)}, true);
  groups.close({CodeLine(9), Cycle(21)}, true);
  EXPECT_EQ(groups.held(), 3u);

  groups.copy_done(quick);
  groups.copy_done(slow);
  EXPECT_EQ(groups.finished(), nullptr) << "the first group still has a copy in flight, and the later ones wait for it";
  groups.copy_done(other);
  for (const std::uint32_t line : {7u, 8u, 9u}) {
    ASSERT_NE(groups.finished(), nullptr);
    EXPECT_EQ(groups.finished()->line, line);
    groups.pop();
  }
  EXPECT_EQ(groups.finished(), nullptr);
  EXPECT_EQ(groups.held(), 3u) << "until the counters are released";
  groups.released();
  EXPECT_EQ(groups.held(), 2u);
}

TEST(AsyncGroups, AnOpenGroupDoesNotEnd) {
  AsyncGroups groups;
  groups.copy_done(groups.copy_issued());
  EXPECT_EQ(groups.finished(), nullptr);
  groups.close({CodeLine(3), Cycle(5)}, false);
  ASSERT_NE(groups.finished(), nullptr);
  EXPECT_EQ(groups.held(), 0u) << "an arrival for copies holds no counter";
}

constexpr std::uint32_t kWake = 10, kHere = 0x80;

class SharedBarriersTest : public testing::Test {
 protected:
  SharedBarriersTest() { barriers.start_block(0); }
  /// Checks that have their result at `now`.
  std::vector<std::uint32_t> at(std::uint64_t now) {
    std::vector<std::uint32_t> checks;
    barriers.pop(Cycle(now), [&](const SharedBarriers::Waiter& waiter) { checks.push_back(waiter.check); });
    return checks;
  }
  static SharedBarriers::Waiter waiter(std::uint32_t check) { return {WarpSlot(0), check}; }
  using Checks = std::vector<std::uint32_t>;
  SharedBarriers barriers{kWake};
};

TEST_F(SharedBarriersTest, WaitersGoOnAfterTheLastArrivalAndEachPhaseBeginsAnew) {
  barriers.init(0, kHere, 3);
  EXPECT_EQ(barriers.wait(0, kHere, true, waiter(1)), Cycle(kWake)) << "the phase before the first is over";
  EXPECT_EQ(barriers.wait(0, kHere, false, waiter(2)), kNever);
  barriers.change(0, kHere, {.arrivals = 2}, Cycle(50));
  EXPECT_EQ(barriers.next_event(), kNever);
  barriers.change(0, kHere, {.arrivals = 1}, Cycle(40));
  EXPECT_EQ(barriers.next_event(), Cycle(50 + kWake)) << "the last in time, not the last that was told";
  EXPECT_EQ(at(50 + kWake), Checks{2});
  EXPECT_EQ(barriers.wait(0, kHere, false, waiter(3)), Cycle(50 + kWake)) << "long over";
  EXPECT_EQ(barriers.wait(0, kHere, true, waiter(4)), kNever);
  barriers.change(0, kHere, {.arrivals = 3}, Cycle(90));
  EXPECT_EQ(at(90 + kWake), Checks{4});
}

TEST_F(SharedBarriersTest, TheResultsOfOneArrivalComeOneAfterTheOther) {
  barriers = SharedBarriers(kWake, 2);
  barriers.start_block(0);
  barriers.init(0, kHere, 1);
  for (std::uint32_t check = 1; check <= 3; ++check) barriers.wait(0, kHere, false, waiter(check));
  barriers.change(0, kHere, {.arrivals = 1}, Cycle(50));
  EXPECT_EQ(at(50 + kWake), Checks{1});
  EXPECT_EQ(at(50 + kWake + 1), Checks{});
  EXPECT_EQ(at(50 + kWake + 2), Checks{2});
  EXPECT_EQ(at(50 + kWake + 4), Checks{3});
}

TEST_F(SharedBarriersTest, ATransactionIsWaitedForBesideTheArrivals) {
  barriers.init(0, kHere, 1);
  EXPECT_EQ(barriers.wait(0, kHere, false, waiter(1)), kNever);
  barriers.change(0, kHere, {.transactions = 2}, Cycle(1));
  barriers.change(0, kHere, {.arrivals = 1}, Cycle(2));
  barriers.change(0, kHere, {.transactions = -1}, Cycle(30));
  EXPECT_EQ(barriers.next_event(), kNever);
  barriers.change(0, kHere, {.transactions = -1}, Cycle(40));
  EXPECT_EQ(at(40 + kWake), Checks{1});
}

TEST_F(SharedBarriersTest, WhoLeavesIsNotExpectedAgain) {
  barriers.init(0, kHere, 2);
  barriers.change(0, kHere, {.arrivals = 1, .leave = true}, Cycle(1));
  barriers.change(0, kHere, {.arrivals = 1}, Cycle(2));
  EXPECT_EQ(barriers.wait(0, kHere, true, waiter(1)), kNever);
  barriers.change(0, kHere, {.arrivals = 1}, Cycle(20));
  EXPECT_EQ(at(20 + kWake), Checks{1});
}

TEST_F(SharedBarriersTest, BlocksAndAddressesHaveTheirOwnAndWhatIsNotKnownIsNotWaitedFor) {
  barriers.start_block(1);
  barriers.init(0, kHere, 1);
  barriers.init(0, kHere + 8, 1);
  EXPECT_EQ(barriers.wait(0, kHere, false, waiter(1)), kNever);
  EXPECT_EQ(barriers.wait(1, kHere, false, waiter(2)), Cycle{});
  barriers.change(0, kHere + 8, {.arrivals = 1}, Cycle(5));
  barriers.change(1, kHere, {.arrivals = 1}, Cycle(5));
  EXPECT_EQ(barriers.next_event(), kNever);
  barriers.invalidate(0, kHere);
  EXPECT_EQ(barriers.wait(0, kHere, false, waiter(3)), Cycle{});
  barriers.start_block(0);
  EXPECT_EQ(barriers.wait(0, kHere + 8, true, waiter(4)), Cycle{});
}

constexpr std::uint64_t kHz = 2'000'000'000;

TEST(Nap, EndsAtAMultipleOfThePowerOfTwoAbove) {
  EXPECT_EQ(nap_ends(0, 100, kHz), 2 * 128u);
  EXPECT_EQ(nap_ends(255, 100, kHz), 2 * 128u);
  EXPECT_EQ(nap_ends(256, 100, kHz), 2 * 256u);
  EXPECT_EQ(nap_ends(2 * 1000, 64, kHz), 2 * 1024u);
  EXPECT_EQ(nap_ends(2 * 1024, 1024, kHz), 2 * 2048u);
}

// 512 ns are 1013.76 cycles: a nap that ends in the middle of a cycle ends with it, and the next one not at once.
TEST(Nap, TheNextOneBeginsBehindTheMultiple) {
  const std::uint64_t first = nap_ends(0, 500, 1'980'000'000);
  EXPECT_EQ(first, 1014u);
  EXPECT_EQ(nap_ends(first, 500, 1'980'000'000), 2028u);
  EXPECT_EQ(nap_ends(first - 1, 500, 1'980'000'000), first);
}

TEST(Nap, AShortOneEndsAtAMultipleToo) { EXPECT_EQ(nap_ends(1000, 31, kHz), 1024u); }

// Means of an H200 at 1.98 GHz, each 21 cycles after the end of the one before: 231, 482, 985, 4013.
TEST(Nap, RowsOfThemTakeWhatTheyTakeOnAnH200) {
  for (const auto& [asked, measured] : {std::pair{100u, 231.0}, {200u, 482.0}, {400u, 985.0}, {2000u, 4013.0}}) {
    std::uint64_t now = 0, slept = 0;
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t end = nap_ends(now, asked, 1'980'000'000);
      slept += end - now;
      now = end + 21;
    }
    EXPECT_NEAR(static_cast<double>(slept) / 100, measured, 0.02 * measured) << asked;
  }
}

}  // namespace
}  // namespace sassim::arch
