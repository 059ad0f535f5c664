// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/lru_stack.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>

namespace sassim::explore {
namespace {

/// The cache itself: fully associative, LRU, sectored.
class Reference {
 public:
  Reference(std::size_t lines, std::uint32_t sectors, std::uint32_t fetch)
      : lines_(lines), sectors_(sectors), fetch_(fetch) {}

  void read(std::uint64_t line, std::uint32_t wanted) {
    std::uint32_t& valid = use(line);
    hits_ += static_cast<std::uint64_t>(std::popcount(wanted & valid));
    const std::uint32_t all = (1u << fetch_) - 1;
    for (std::uint32_t first = 0; first < sectors_; first += fetch_)
      if ((wanted & ~valid & all << first) != 0) valid |= all << first;
  }
  void write(std::uint64_t line, std::uint32_t written, std::uint32_t partial, SectoredLru::Write how) {
    const bool held = valid_.contains(line);
    if (how == SectoredLru::Write::always_hits || held) hits_ += static_cast<std::uint64_t>(std::popcount(written));
    use(line) |= written & ~partial;
  }
  void pass_by(std::uint64_t line, std::uint32_t wanted) {
    if (valid_.contains(line)) valid_[line] &= ~wanted;
  }
  std::uint64_t hits() const { return hits_; }

 private:
  std::uint32_t& use(std::uint64_t line) {
    order_.remove(line);
    order_.push_front(line);
    if (order_.size() > lines_) {
      valid_.erase(order_.back());
      order_.pop_back();
    }
    return valid_[line];
  }
  std::size_t lines_;
  std::uint32_t sectors_, fetch_;
  std::list<std::uint64_t> order_;
  std::map<std::uint64_t, std::uint32_t> valid_;
  std::uint64_t hits_ = 0;
};

TEST(LruOrder, CountsTheOtherLinesUsedSince) {
  LruOrder order;
  EXPECT_EQ(order.use(7), LruOrder::kNew);
  EXPECT_EQ(order.use(7), 0u);
  EXPECT_EQ(order.use(8), LruOrder::kNew);
  EXPECT_EQ(order.use(9), LruOrder::kNew);
  EXPECT_EQ(order.use(8), 1u);
  EXPECT_EQ(order.use(8), 0u);
  EXPECT_EQ(order.use(7), 2u);
  EXPECT_EQ(order.lines(), 3u);
}

// More accesses than the tree has places at first: times are given anew, distances stay.
TEST(LruOrder, GoesOnAfterRenumbering) {
  LruOrder order;
  constexpr std::uint64_t kLines = 700;
  for (int round = 0; round < 20; ++round)
    for (std::uint64_t line = 0; line < kLines; ++line)
      ASSERT_EQ(order.use(line), round == 0 ? LruOrder::kNew : static_cast<std::uint32_t>(kLines - 1));
}

struct Mix {
  const char* what;
  int writes, pass_bys;  ///< in a hundred
  std::uint32_t fetch;
};

class EverySize : public ::testing::TestWithParam<Mix> {};

TEST_P(EverySize, HitsAsTheCacheItself) {
  constexpr std::uint32_t kSectors = 4;
  std::mt19937 random(1);
  const auto pick = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  SectoredLru all(kSectors, GetParam().fetch);
  std::vector<Reference> sizes;
  for (std::size_t lines = 1; lines <= 64; ++lines) sizes.emplace_back(lines, kSectors, GetParam().fetch);
  std::uint64_t total = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::uint64_t line = pick(2) != 0 ? pick(8) : pick(60);  // some lines are used more than others
    const std::uint32_t sectors = 1 + pick(15);
    total += static_cast<std::uint64_t>(std::popcount(sectors));
    const int what = static_cast<int>(pick(100));
    if (what < GetParam().writes) {
      const std::uint32_t partial = sectors & pick(16);
      const auto how = GetParam().fetch > 1 ? SectoredLru::Write::always_hits : SectoredLru::Write::hits_with_its_line;
      all.write(line, sectors, partial, how);
      for (Reference& size : sizes) size.write(line, sectors, partial, how);
    } else if (what < GetParam().writes + GetParam().pass_bys) {
      all.pass_by(line, sectors);
      for (Reference& size : sizes) size.pass_by(line, sectors);
    } else {
      all.read(line, sectors);
      for (Reference& size : sizes) size.read(line, sectors);
    }
  }
  EXPECT_EQ(all.counts().total(), total);
  for (std::size_t lines = 1; lines <= 64; ++lines)
    EXPECT_EQ(all.counts().hits(lines), sizes[lines - 1].hits()) << lines << " lines";
  EXPECT_GT(all.counts().hits(64), all.counts().hits(4));
}

INSTANTIATE_TEST_SUITE_P(Mixes, EverySize,
                         ::testing::Values(Mix{"reads", 0, 0, 1}, Mix{"reads_of_pairs", 0, 0, 2},
                                           Mix{"reads_of_lines", 0, 0, 4}, Mix{"stores", 30, 0, 1},
                                           Mix{"atomics", 10, 20, 1}),
                         [](const auto& test) { return test.param.what; });

TEST(HitCounts, StepsRiseAndLeaveOutWhatNeverHits) {
  HitCounts counts;
  counts.add(HitCounts::kNever, 5);
  counts.add(3, 2);
  counts.add(1, 4);
  EXPECT_EQ(counts.steps(), (std::vector<std::pair<std::uint32_t, std::uint64_t>>{{1, 4}, {3, 2}}));
  EXPECT_EQ(counts.total(), 11u);
  EXPECT_EQ(counts.hits(2), 4u);
  EXPECT_EQ(counts.hits(3), 6u);
}

}  // namespace
}  // namespace sassim::explore
