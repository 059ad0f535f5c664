// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/block_ends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "tests/support/saved_state.h"

namespace sassim::arch {
namespace {

using Taken = std::vector<std::array<std::uint64_t, 3>>;  ///< SM, end, when it was registered

void take_all(BlockEnds& ends, Cycle known, Taken& into) {
  while (const auto end = ends.dequeue(known)) into.push_back({end->sm, end->time.value, end->registered.value});
}

Taken take_all(BlockEnds& ends, Cycle known = kNever) {
  Taken all;
  take_all(ends, known, all);
  return all;
}

TEST(BlockEnds, OneAfterAnother) {
  BlockEnds ends({0}, 1.5);
  for (std::uint64_t time : {10, 10, 10, 30}) ends.add(0, Cycle(time), LaunchIndex(0));
  EXPECT_EQ(take_all(ends), (Taken{{0, 10, 10}, {0, 10, 12}, {0, 10, 13}, {0, 30, 30}}));
  EXPECT_EQ(ends.next(), kNever);
}

TEST(BlockEnds, TheSmsTakeTurns) {
  BlockEnds ends({2, 0, 1}, 10);
  for (std::size_t sm : {0, 1, 2})
    for (std::uint64_t time = 0; time < 3 - sm; ++time) ends.add(sm, Cycle(time), LaunchIndex(0));
  EXPECT_EQ(take_all(ends), (Taken{{2, 0, 0}, {0, 0, 10}, {1, 0, 20}, {0, 1, 30}, {1, 1, 40}, {0, 2, 50}}))
      << "an SM of which no end waits loses its turn";
}

TEST(BlockEnds, AnEndThatHasNotHappenedIsPassedOver) {
  BlockEnds ends({0, 1, 2}, 10);
  ends.add(0, Cycle(5), LaunchIndex(0));
  ends.add(1, Cycle(16), LaunchIndex(0));
  ends.add(2, Cycle(7), LaunchIndex(0));
  EXPECT_EQ(take_all(ends), (Taken{{0, 5, 5}, {2, 7, 15}, {1, 16, 25}})) << "SM 1 ends a cycle too late for its turn";
  BlockEnds in_time({0, 1, 2}, 10);
  in_time.add(0, Cycle(5), LaunchIndex(0));
  in_time.add(1, Cycle(15), LaunchIndex(0));
  in_time.add(2, Cycle(7), LaunchIndex(0));
  EXPECT_EQ(take_all(in_time), (Taken{{0, 5, 5}, {1, 15, 15}, {2, 7, 25}}));
}

TEST(BlockEnds, NothingIsDecidedBeforeItIsKnown) {
  BlockEnds ends({0, 1}, 10);
  ends.add(0, Cycle(5), LaunchIndex(0));
  ends.add(0, Cycle(6), LaunchIndex(0));
  EXPECT_EQ(take_all(ends, Cycle(15)), (Taken{{0, 5, 5}})) << "until 15 the other SM may still end";
  EXPECT_EQ(ends.next(), Cycle(15));
  ends.add(1, Cycle(15), LaunchIndex(0));
  EXPECT_EQ(take_all(ends, Cycle(16)), (Taken{{1, 15, 15}}));
  EXPECT_EQ(take_all(ends, Cycle(26)), (Taken{{0, 6, 25}}));
}

struct End {
  std::size_t sm;
  std::uint64_t time;
};

std::vector<End> many() {
  std::mt19937 random(3);
  std::vector<End> all;
  for (std::size_t sm = 0; sm < 7; ++sm) {
    std::uint64_t time = random() % 50;
    for (int i = 0; i < 200; ++i) all.push_back({sm, time += random() % (i % 40 < 30 ? 8 : 60)});
  }
  return all;
}

/// Ends become known epoch by epoch. After `cut` epochs the rest is done by a copy from a checkpoint.
Taken by_epochs(std::uint64_t epoch, int cut = -1) {
  const std::vector<End> all = many();
  BlockEnds first({3, 1, 6, 0, 2, 5, 4}, 1.2), loaded({3, 1, 6, 0, 2, 5, 4}, 1.2);
  BlockEnds* ends = &first;
  Taken taken;
  for (std::uint64_t now = 0; taken.size() < all.size(); now += epoch, --cut) {
    if (cut == 0) {
      testing::load(loaded, testing::saved(first));
      ends = &loaded;
    }
    for (const End& end : all)
      if (end.time >= now && end.time < now + epoch) ends->add(end.sm, Cycle(end.time), LaunchIndex(0));
    EXPECT_GE(ends->next(), Cycle(now));
    take_all(*ends, Cycle(now + epoch), taken);
  }
  return taken;
}

TEST(BlockEnds, TheOrderDependsNeitherOnEpochsNorOnCheckpoints) {
  const Taken reference = by_epochs(1);
  EXPECT_GT(std::count_if(reference.begin(), reference.end(), [](const auto& end) { return end[2] > end[1] + 20; }), 50)
      << "many wait";
  for (const std::uint64_t epoch : {2, 7, 33, 100, 100000}) EXPECT_EQ(by_epochs(epoch), reference) << epoch;
  for (const int cut : {1, 9, 20}) EXPECT_EQ(by_epochs(33, cut), reference) << cut;
}

}  // namespace
}  // namespace sassim::arch
