// SPDX-License-Identifier: Apache-2.0
#include "arch/common/epoch_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <concepts>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "arch/common/clock_ratio.h"
#include "arch/gpu/block_ends.h"
#include "arch/memory/memory_system.h"
#include "sim/base/types.h"
#include "sim/config/gpu_config.h"
#include "tests/common/random_sm.h"
#include "tests/common/small_gpu.h"
#include "tests/support/saved_state.h"

namespace sassim::arch {
namespace {

using testing::RandomSm;
using testing::RandomTraffic;

struct Outcome {
  std::vector<std::uint64_t> digests;
  Cycle last{0};
  bool operator==(const Outcome&) const = default;
};

config::GpuConfig fixed_gpu() {
  config::GpuConfig gpu;
  gpu.sm.count = 7;
  gpu.memory.model = "fixed";
  gpu.memory.fixed_latency = 40;
  return gpu;
}

Outcome simulate(Cycle epoch, unsigned threads) {
  auto memory = MemorySystem::make(fixed_gpu());
  std::vector<std::unique_ptr<RandomSm>> sms;
  EpochEngine engine(epoch, threads);
  for (std::uint16_t i = 0; i < 7; ++i) {
    sms.push_back(std::make_unique<RandomSm>(memory->port(SmId(i)), RandomTraffic{.seed = i + 1u}));
    engine.add(*sms.back());
  }
  engine.add(*memory);
  while (engine.step()) {
  }
  memory->check_conservation();
  Outcome outcome;
  for (auto& sm : sms) {
    EXPECT_TRUE(sm->done());
    outcome.digests.push_back(sm->digest());
    outcome.last = std::max(outcome.last, sm->last());
  }
  return outcome;
}

TEST(EpochEngine, GivesTheSameResultForAnyEpochAndThreadCount) {
  const Outcome reference = simulate(Cycle{1}, 1);
  for (std::uint64_t epoch : {1, 2, 3, 7, 16, 39, 40})
    for (unsigned threads : {1u, 2u, 4u})
      EXPECT_EQ(simulate(Cycle{epoch}, threads), reference) << "epoch " << epoch << ", threads " << threads;
}

TEST(EpochEngine, AnEpochBeyondTheLookaheadDoesNotGoUnnoticed) {
  EXPECT_THROW(simulate(Cycle{42}, 1), std::logic_error);
}

class Alarm final : public Component {
 public:
  explicit Alarm(std::vector<Cycle> times) : times_(std::move(times)) {}
  void advance(Cycle until) override {
    while (next_event() < until) ++rang_;
    ++advanced_;
  }
  Cycle next_event() const override { return rang_ < times_.size() ? times_[rang_] : kNever; }
  std::size_t advanced() const { return advanced_; }

 private:
  std::vector<Cycle> times_;
  std::size_t rang_ = 0, advanced_ = 0;
};

TEST(EpochEngine, JumpsOverTimeInWhichNobodyHasWork) {
  Alarm busy({Cycle{5}, Cycle{6}, Cycle{1'000'000}}), idle({});
  EpochEngine engine(Cycle{10}, 1);
  engine.add(busy);
  engine.add(idle);
  EXPECT_TRUE(engine.step());
  EXPECT_EQ(engine.now(), Cycle{15}) << "starts at the first event, lasts one epoch";
  EXPECT_EQ(engine.next(), Cycle{1'000'000});
  EXPECT_TRUE(engine.step());
  EXPECT_FALSE(engine.step());
  EXPECT_EQ(engine.epochs(), 2u);
  EXPECT_EQ(busy.advanced(), 2u);
  EXPECT_EQ(idle.advanced(), 0u) << "who has no work is not called";
}

/// Wants an exchange after each of some cycles.
class Reminder final : public Exchange {
 public:
  explicit Reminder(std::vector<Cycle> times) : times_(std::move(times)) {}
  void exchange(Cycle now) override {
    while (next_event() < now) ++done_;
  }
  Cycle next_event() const override { return done_ < times_.size() ? times_[done_] : kNever; }

 private:
  std::vector<Cycle> times_;
  std::size_t done_ = 0;
};

TEST(EpochEngine, DoesNotJumpOverWhatAnExchangeDecides) {
  Alarm busy({Cycle{5}, Cycle{1'000}});
  Reminder reminder({Cycle{7}, Cycle{500}, Cycle{2'000}});
  EpochEngine engine(Cycle{10}, 1);
  engine.add(busy);
  engine.add(reminder);
  std::vector<std::uint64_t> ends;
  while (engine.step()) ends.push_back(engine.now().value);
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{15, 510, 1'010, 2'010}));
  EXPECT_EQ(busy.advanced(), 2u);
}

/// Has so many messages for ten receivers, and notes what was done when.
class Post final : public Exchange {
 public:
  explicit Post(std::size_t messages) : messages_(messages) {}
  void exchange(Cycle) override { ++alone; }
  std::size_t to_share() const override { return messages_; }
  void deliver(Share share, Cycle) override {
    for (std::size_t i = 0; i < got.size(); ++i)
      if (share.has(i)) ++got[i];
    ++delivered_;
  }
  void settle(Share share, Cycle) override {
    in_order = in_order && delivered_ == share.count && share.index < share.count;
  }
  void shared() override { ++ends; }
  std::array<int, 10> got{};
  int alone = 0, ends = 0;
  std::atomic<bool> in_order = true;

 private:
  std::size_t messages_;
  std::atomic<std::size_t> delivered_ = 0;
};

TEST(EpochEngine, ThreadsShareAnExchangeOfManyMessages) {
  for (const unsigned threads : {1u, 3u}) {
    Alarm busy({Cycle{5}});
    Post large(1000), small(2);
    EpochEngine engine(Cycle{10}, threads);
    engine.add(busy);
    engine.add(large);
    engine.add(small);
    engine.step();
    EXPECT_EQ(small.alone, 1);
    EXPECT_EQ(large.alone, threads == 1 ? 1 : 0);
    EXPECT_EQ(large.ends, threads == 1 ? 0 : 1);
    EXPECT_TRUE(large.in_order);
    for (const int times : large.got) EXPECT_EQ(times, threads == 1 ? 0 : 1) << "each receiver is in one share";
  }
}

TEST(EpochEngine, AMemoryWhoseExchangesAreSharedGivesTheSame) {
  config::GpuConfig plain = testing::small_gpu();
  // So wide that there are many replies in an epoch, too.
  plain.sm.count = 96;
  plain.memory.l2.slices = 32;
  plain.memory.l2.size = 32 * 2 * 128 * 16;
  plain.memory.l2.pending_requests = 64;
  config::GpuConfig halves = plain, merging = plain;
  halves.memory.halves.parts = 2;
  merging.memory.crossbar.merge.window = 8;
  for (const config::GpuConfig& gpu : {plain, halves, merging}) {
    const RandomTraffic traffic{.requests = 60, .largest_gap = 1, .footprint = 1u << 14, .seed = 3, .all_kinds = true};
    const Cycle epoch = MemorySystem::make(gpu)->lookahead();
    const auto run = [&](unsigned threads) { return testing::run_traffic(gpu, traffic, epoch, threads); };
    const testing::Outcome alone = run(1), shared = run(3);
    EXPECT_TRUE(alone.all_done);
    EXPECT_EQ(shared.digests, alone.digests);
    EXPECT_EQ(shared.last, alone.last);
    for (const auto& [row, value] : alone.metrics.all()) EXPECT_EQ(shared.metrics[row->name], value) << row->name;
  }
}

// Merged loads and messages between slices have epochs of their own within the two.
TEST(EpochEngine, SidesThatAdvanceInTurnGiveWhatSingleEpochsGive) {
  config::GpuConfig plain = testing::small_gpu();
  config::GpuConfig halves = plain, merging = plain;
  halves.memory.halves.parts = 2;
  merging.memory.crossbar.merge.window = 8;
  for (const config::GpuConfig& gpu : {plain, halves, merging})
    for (const std::uint32_t gap : {2u, 300u}) {  // in the second case nothing happens in many epochs
      const RandomTraffic traffic{.requests = 200, .largest_gap = gap, .seed = 4, .all_kinds = true};
      const Cycle epoch = MemorySystem::make(gpu)->lookahead();
      const testing::Outcome single = testing::run_traffic(gpu, traffic, epoch, 1);
      for (const unsigned threads : {1u, 3u}) {
        const testing::Outcome in_turn = testing::run_traffic(gpu, traffic, epoch, threads, true);
        EXPECT_EQ(in_turn.digests, single.digests);
        for (const auto& [row, value] : single.metrics.all()) EXPECT_EQ(in_turn.metrics[row->name], value) << row->name;
        EXPECT_EQ(in_turn.epochs, single.epochs);
        EXPECT_EQ(in_turn.ends.back(), single.ends.back());
        EXPECT_LT(in_turn.ends.size(), gap == 2 ? single.ends.size() * 6 / 10 : single.ends.size());
        EXPECT_TRUE(std::includes(single.ends.begin(), single.ends.end(), in_turn.ends.begin(), in_turn.ends.end()));
      }
    }
}

/// Holds the launch until its last alarm.
class Holder final : public Component {
 public:
  explicit Holder(std::vector<Cycle> times) : alarm_(std::move(times)) {}
  void advance(Cycle until) override { alarm_.advance(until), ends.push_back(until.value); }
  Cycle next_event() const override { return alarm_.next_event(); }
  bool holds_launch() const override { return alarm_.next_event() != kNever; }
  std::vector<std::uint64_t> ends;

 private:
  Alarm alarm_;
};

TEST(EpochEngine, TheSecondOfTwoEpochsIsPerformedOnlyIfTheLaunchGoesOn) {
  const auto ends = [](std::vector<Cycle> times, Cycle limit, Cycle cut = kNever) {
    Holder holder(std::move(times));
    Alarm other({});
    Post post(0);
    EpochEngine engine(Cycle{10}, 1);
    engine.add(holder);
    engine.add_ahead(other);
    engine.add(post);
    engine.cut(cut);
    std::vector<std::uint64_t> all;
    while (engine.step_before(limit)) all.push_back(engine.now().value);
    return std::pair(all, holder.ends);
  };
  using Ends = std::vector<std::uint64_t>;
  const std::vector<Cycle> dense = {Cycle{0}, Cycle{10}, Cycle{25}};
  EXPECT_EQ(ends(dense, Cycle{}), std::pair(Ends({10, 20, 35}), Ends({10, 20, 35}))) << "one at a time";
  EXPECT_EQ(ends(dense, kNever), std::pair(Ends({20, 35}), Ends({10, 20, 35})));
  EXPECT_EQ(ends(dense, Cycle{20}).first, Ends({20, 35})) << "both end at the limit";
  EXPECT_EQ(ends(dense, Cycle{19}).first, Ends({10, 20, 35}));
  EXPECT_EQ(ends(dense, kNever, Cycle{15}).first, Ends({10, 15, 35})) << "not past a cut";
  const std::vector<Cycle> late = {Cycle{0}, Cycle{13}, Cycle{30}};
  EXPECT_EQ(ends(late, Cycle{}).first, Ends({10, 23, 40}));
  EXPECT_EQ(ends(late, kNever).first, Ends({23, 40})) << "nothing happens in the rest of the second";
  EXPECT_EQ(ends(late, kNever, Cycle{21}).first, Ends({21, 40})) << "nothing happens up to the cut";
  EXPECT_EQ(ends({Cycle{0}, Cycle{5}}, kNever).first, Ends({10})) << "the launch may end with the first";
  EXPECT_EQ(ends({Cycle{0}, Cycle{40}}, kNever).first, Ends({10, 50})) << "nothing happens in the second";
  EXPECT_EQ(ends({Cycle{0}, Cycle{13}, Cycle{21}}, kNever), std::pair(Ends({20, 23}), Ends({10, 20, 23})))
      << "a single second epoch would begin with its first event, and end later";
}

class Faulty final : public Component {
 public:
  explicit Faulty(int name) : name_(name) {}
  void advance(Cycle) override { throw std::runtime_error(std::to_string(name_)); }
  Cycle next_event() const override { return Cycle{0}; }

 private:
  int name_;
};

TEST(EpochEngine, ReportsTheErrorOfTheFirstComponentWhateverTheThreads) {
  for (unsigned threads : {1u, 2u, 4u}) {
    Faulty a(1), b(2), c(3), d(4);
    EpochEngine engine(Cycle{10}, threads);
    for (Faulty* part : {&a, &b, &c, &d}) engine.add(*part);
    try {
      engine.step();
      FAIL() << "expected an exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "1") << threads << " threads";
    }
  }
}

/// Two of them need two threads. One that is not the test's own says how it rounds.
class Rounding : public Component {
 public:
  Rounding(std::atomic<int>& here, std::atomic<int>& mode) : here_(here), mode_(mode) {}
  void advance(Cycle) override {
    ++here_;
    while (here_ < 2) std::this_thread::yield();
    if (std::this_thread::get_id() != test_) mode_ = std::fegetround();
    done_ = true;
  }
  Cycle next_event() const override { return done_ ? kNever : Cycle{0}; }

 private:
  std::atomic<int>&here_, &mode_;
  std::thread::id test_ = std::this_thread::get_id();
  bool done_ = false;
};

// New threads have the floating-point state of the thread that starts them: a CUDA program's.
TEST(EpochEngine, ItsThreadsRoundToNearestWhateverTheCallerDoes) {
  std::atomic<int> here = 0, mode = -1;
  Rounding a(here, mode), b(here, mode);
  std::fesetround(FE_UPWARD);
  {
    EpochEngine engine(Cycle{10}, 2);
    for (Rounding* part : {&a, &b}) engine.add(*part);
    engine.step();
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(mode, FE_TONEAREST);
}

// Cycles of different clocks do not mix; conversions between them are exact.

template <class A, class B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Compares = requires(A a, B b) {
  a < b;
};
template <class Ratio, class Time>
concept Converts = requires(Ratio ratio, Time time) {
  ratio.up(time);
};

static_assert(Adds<L2Cycle, L2Cycle> && !Adds<L2Cycle, DramCycle> && !Adds<Cycle, L2Cycle>);
static_assert(Compares<Cycle, Cycle> && !Compares<Cycle, L2Cycle> && !Compares<L2Cycle, DramCycle>);
static_assert(Converts<ClockRatio<Cycle, L2Cycle>, Cycle> && !Converts<ClockRatio<Cycle, L2Cycle>, L2Cycle>);

TEST(Clocks, ConvertToTheEdgeBeforeOrAfter) {
  const ClockRatio<Cycle, L2Cycle> to_l2(1'500, 1'000);
  EXPECT_EQ(to_l2.up(Cycle(3)), L2Cycle(2));
  EXPECT_EQ(to_l2.down(Cycle(4)), L2Cycle(2));
  EXPECT_EQ(to_l2.up(Cycle(4)), L2Cycle(3));
  EXPECT_EQ(to_l2.inverse().up(L2Cycle(3)), Cycle(5));
  EXPECT_EQ(to_l2.inverse().down(L2Cycle(3)), Cycle(4));
}

TEST(Clocks, StayExactFarOutAndNeverStaysNever) {
  const ClockRatio<L2Cycle, DramCycle> to_dram(1'597'000'000, 3'201'000'000);
  const L2Cycle far(std::uint64_t{1'597'000'000} * 4'000'000'000);
  EXPECT_EQ(to_dram.up(far), DramCycle(std::uint64_t{3'201'000'000} * 4'000'000'000));
  EXPECT_EQ(to_dram.up(L2Cycle::max()), DramCycle::max());
  EXPECT_EQ(to_dram.down(L2Cycle::max()), DramCycle::max());
}

}  // namespace
}  // namespace sassim::arch

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
      sassim::testing::load(loaded, sassim::testing::saved(first));
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
