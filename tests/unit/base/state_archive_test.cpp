// SPDX-License-Identifier: Apache-2.0
// State that was written is read again, in every shape; bytes that are none are refused.
#include "sim/base/state_archive.h"

#include <gtest/gtest.h>

namespace sassim {
namespace {

struct Plain {
  Cycle cycle;
  bool flag = false;
  LaneMask lanes;
  std::array<std::uint64_t, 3> numbers{};
  std::vector<int> list;
  std::optional<int> perhaps;
  std::string text;
  friend bool operator==(const Plain&, const Plain&) = default;
};

/// Only its count is state.
class Counter {
 public:
  explicit Counter(int step) : step_(step) {}
  void count() { count_ += step_; }
  int value() const { return count_; }
  template <class Archive>
  void state(Archive& archive) {
    archive(count_);
  }

 private:
  int step_, count_ = 0;
};

struct All {
  Plain plain;
  std::vector<Plain> plains;
  std::vector<bool> bits;
  std::deque<Plain> queue;
  std::map<int, std::string> names;
  std::set<int> chosen;
  std::unordered_map<std::uint64_t, int> table;
  std::priority_queue<int> heap;
  std::bitset<9> mask;
  std::unique_ptr<Plain> owned;
  std::pair<int, Cycle> pair;
  std::tuple<int, WarpSlot> tuple;
};

All example() {
  All all;
  all.plain = {Cycle{5}, true, LaneMask{3}, {1, 2, 3}, {4, 5}, 6, "seven"};
  all.plains = {all.plain, Plain{}};
  all.bits = {true, false, true};
  all.queue = {Plain{}, all.plain};
  all.names = {{1, "a"}, {2, "b"}};
  all.chosen = {3, 1};
  all.table = {{9, 1}, {2, 8}};
  for (const int i : {3, 9, 4}) all.heap.push(i);
  all.mask = 5;
  all.owned = std::make_unique<Plain>(all.plain);
  all.pair = {1, Cycle{2}};
  all.tuple = {3, WarpSlot(4)};
  return all;
}

std::string bytes_of(const All& all) {
  StateWriter to;
  to(all);
  to.mark("end");
  return to.bytes();
}

TEST(StateArchive, ReadsWhatItWrote) {
  const std::string bytes = bytes_of(example());
  All again;
  StateReader from(bytes);
  from(again);
  from.mark("end");
  EXPECT_TRUE(from.at_end());
  EXPECT_EQ(bytes_of(again), bytes);
  EXPECT_EQ(again.plain, example().plain);
  EXPECT_EQ(*again.owned, again.plain);
  EXPECT_EQ(again.heap.top(), 9);
  EXPECT_EQ(again.table, example().table);
}

TEST(StateArchive, LeavesWhatWasBuiltAsItIs) {
  std::vector<Counter> saved = {Counter(2), Counter(3)}, built = {Counter(5), Counter(7)};
  for (Counter& counter : saved) counter.count();
  StateWriter to;
  to(saved);
  StateReader from(to.bytes());
  from(built);
  for (Counter& counter : built) counter.count();
  EXPECT_EQ(built[0].value(), 2 + 5);
  EXPECT_EQ(built[1].value(), 3 + 7);
  std::vector<Counter> other = {Counter(1)};
  StateReader again(to.bytes());
  EXPECT_THROW(again(other), InputError);
}

TEST(StateArchive, RefusesEveryCut) {
  const std::string bytes = bytes_of(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    All again;
    StateReader from(cut);
    EXPECT_THROW((from(again), from.mark("end")), InputError) << size;
  }
}

TEST(StateArchive, RefusesAnotherMark) {
  StateWriter to;
  to.mark("one");
  StateReader from(to.bytes());
  EXPECT_THROW(from.mark("other"), InputError);
}

TEST(StateArchive, ASizeAsksForNoMoreThanThereIs) {
  StateWriter to;
  to(std::uint64_t{1} << 60);
  std::vector<std::uint64_t> many;
  StateReader from(to.bytes());
  EXPECT_THROW(from(many), InputError);
}

}  // namespace
}  // namespace sassim
