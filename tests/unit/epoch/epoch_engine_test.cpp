// SPDX-License-Identifier: Apache-2.0
#include "arch/common/epoch_engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <concepts>
#include <stdexcept>
#include <thread>
#include <vector>

#include "arch/common/clock_ratio.h"
#include "arch/memory/memory_system.h"
#include "sim/base/types.h"
#include "sim/config/gpu_config.h"
#include "tests/common/random_sm.h"

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
