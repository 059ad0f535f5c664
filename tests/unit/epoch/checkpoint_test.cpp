// SPDX-License-Identifier: Apache-2.0
// Queues that were saved and loaded give the same items in the same order from then on.
#include <gtest/gtest.h>

#include <random>

#include "arch/common/epoch_engine.h"
#include "arch/common/fifo.h"
#include "arch/common/ring.h"
#include "arch/common/timed_inbox.h"
#include "arch/common/timing_wheel.h"
#include "sim/base/error.h"
#include "sim/base/state_archive.h"
#include "tests/support/saved_state.h"

namespace sassim::arch {
namespace {

using testing::load;
using testing::saved;

/// Puts items in and takes some out; what was taken out is the answer.
template <class Queue>
std::vector<int> use(Queue& queue, std::mt19937& random, int steps) {
  std::vector<int> taken;
  for (int i = 0; i < steps; ++i) {
    if (random() % 5 < 3) {
      queue.push(static_cast<int>(random() % 1000));
    } else if (!queue.empty()) {
      taken.push_back(queue.front());
      queue.pop();
    }
  }
  return taken;
}

template <class Queue>
void expect_to_continue() {
  for (const int before : {0, 3, 40, 700}) {
    std::mt19937 random(7);
    Queue queue, loaded;
    use(queue, random, before);
    load(loaded, saved(queue));
    EXPECT_EQ(loaded.size(), queue.size());
    std::mt19937 same = random;
    EXPECT_EQ(use(queue, random, 500), use(loaded, same, 500)) << before;
  }
}

TEST(QueueCheckpoint, AFifoContinues) { expect_to_continue<Fifo<int>>(); }
TEST(QueueCheckpoint, ARingContinues) { expect_to_continue<Ring<int>>(); }

TEST(QueueCheckpoint, ARingTakesThePlaceOfWhatItHeld) {
  Ring<int> ring(2), loaded(2);
  for (const int i : {1, 2, 3}) ring.push(i);
  for (const int i : {7, 8, 9, 10}) loaded.push(i);
  loaded.pop();
  load(loaded, saved(ring));
  ASSERT_EQ(loaded.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(loaded[i], ring[i]);
}

struct Message {
  Cycle time{};
  int number = 0;
};
struct Before {
  bool operator()(const Message& a, const Message& b) const {
    return a.time != b.time ? a.time < b.time : a.number < b.number;
  }
};

TEST(QueueCheckpoint, AnInboxContinuesWithWhatIsNotSettledYet) {
  TimedInbox<Message, Before> inbox, loaded;
  for (const std::uint64_t time : {50, 20, 40, 30}) inbox.add({Cycle{time}, 1});
  inbox.settle(Cycle{10});
  inbox.pop();
  inbox.add({Cycle{35}, 2});
  load(loaded, saved(inbox));
  EXPECT_EQ(loaded.size(), 3u) << "what was added last is not settled";
  for (auto* each : {&inbox, &loaded}) {
    each->settle(Cycle{25});
    std::vector<std::uint64_t> times;
    for (; !each->empty(); each->pop()) times.push_back(each->front().time.value);
    EXPECT_EQ(times, (std::vector<std::uint64_t>{30, 35, 40, 50}));
  }
}

TEST(QueueCheckpoint, ATimingWheelContinues) {
  using Wheel = TimingWheel<int>;
  std::mt19937 random(3);
  Wheel wheel, loaded;
  std::uint64_t now = 0;
  const auto add = [&](Wheel& to, int event, std::uint64_t after) { to.add(Cycle{now + 1 + after}, event); };
  for (int event = 0; event < 300; ++event) {
    add(wheel, event, random() % 7 == 0 ? 256 + random() % 1000 : random() % 200);
    if (event % 3 == 0) wheel.pop(Cycle{++now}, [](int) {});
  }
  load(loaded, saved(wheel));
  for (int event = 300; wheel.next() != kNever; ++event) {
    ASSERT_EQ(loaded.next(), wheel.next());
    now = wheel.next().value;
    std::vector<int> taken, loaded_taken;
    wheel.pop(Cycle{now}, [&](int taken_event) { taken.push_back(taken_event); });
    loaded.pop(Cycle{now}, [&](int taken_event) { loaded_taken.push_back(taken_event); });
    ASSERT_EQ(loaded_taken, taken);
    if (event > 600) continue;
    for (Wheel* each : {&wheel, &loaded}) add(*each, event, event * 37u % 600);
  }
  EXPECT_GT(now, 1000u);
}

class Ticker final : public Component {
 public:
  void advance(Cycle until) override { next_ = std::max(next_, until); }
  Cycle next_event() const override { return next_; }
  void state(auto& archive) { archive(next_); }

 private:
  Cycle next_{3};
};

TEST(QueueCheckpoint, AnEngineIsInTheMiddleOfTheSameEpoch) {
  EpochEngine engine(Cycle{20}, 1), loaded(Cycle{20}, 1);
  Ticker ticker, loaded_ticker;
  engine.add(ticker);
  loaded.add(loaded_ticker);
  engine.step();
  engine.cut(engine.now() + 7);
  engine.step();
  EXPECT_TRUE(engine.partial());
  load(loaded, saved(engine));
  load(loaded_ticker, saved(ticker));
  EXPECT_EQ(loaded.epochs(), engine.epochs());
  EXPECT_EQ(loaded.next(), engine.next());
  engine.cut(kNever);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(loaded.now(), engine.now());
    EXPECT_EQ(loaded.whole_end(), engine.whole_end());
    engine.step();
    loaded.step();
  }
}

TEST(QueueCheckpoint, DamagedPlacesAreRefused) {
  Fifo<int> fifo;
  StateWriter writer;
  writer(std::vector<int>{1, 2}, std::size_t{3});
  StateReader reader(writer.bytes());
  EXPECT_THROW(reader(fifo), InputError);
}

}  // namespace
}  // namespace sassim::arch
