// SPDX-License-Identifier: Apache-2.0
// Threads that share an epoch's work: each part is advanced once, by whomever, and what it did is there for all in the
// next epoch. Parts keep plain data, so that ThreadSanitizer sees a hand-over that is not one. Also the thread blocks
// that they decode ahead.
#include "arch/common/thread_team.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "arch/common/epoch_engine.h"
#include "arch/gpu/blocks_ahead.h"
#include "sim/base/cores.h"
#include "sim/base/error.h"

namespace sassim::arch {
namespace {

constexpr std::uint64_t kEpochs = 300;

/// Adds up what the other parts counted in the epochs before, which the exchange hands over.
class Part final : public Component {
 public:
  explicit Part(std::uint64_t busy_every) : busy_every_(busy_every) {}
  void advance(Cycle until) override {
    for (; at_ < until; at_ = Cycle{at_.value + busy_every_}) sum = sum * 31 + at_.value + heard;
    ++calls;
  }
  Cycle next_event() const override { return at_ < Cycle{kEpochs * 10} ? at_ : kNever; }
  bool holds_launch() const override { return next_event() != kNever; }

  std::uint64_t sum = 0, heard = 0, calls = 0;

 private:
  std::uint64_t busy_every_;
  Cycle at_{0};
};

class Ring final : public Exchange {
 public:
  explicit Ring(std::vector<std::unique_ptr<Part>>& parts) : parts_(parts) {}
  void exchange(Cycle) override {
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->heard = parts_[(i + 1) % parts_.size()]->sum;
  }

 private:
  std::vector<std::unique_ptr<Part>>& parts_;
};

/// `in_turn`: every third part advances ahead of the others, which take two epochs at a time.
std::vector<std::uint64_t> sums(unsigned threads, std::size_t count, bool in_turn) {
  std::vector<std::unique_ptr<Part>> parts;
  EpochEngine engine(Cycle{10}, threads);
  for (std::size_t i = 0; i < count; ++i) {
    Part& part = *parts.emplace_back(std::make_unique<Part>(1 + i % 4 * 7));
    i % 3 == 0 ? engine.add_ahead(part) : engine.add(part);
  }
  Ring ring(parts);
  engine.add(ring);
  while (engine.step_before(in_turn ? kNever : Cycle{})) {
  }
  std::vector<std::uint64_t> all;
  for (const auto& part : parts) {
    EXPECT_LE(part->calls, kEpochs);
    all.push_back(part->sum);
  }
  return all;
}

TEST(ThreadTeam, HandsOverWhatWasDoneWhoeverDidIt) {
  for (const bool in_turn : {false, true})
    for (const std::size_t parts : {1u, 2u, 3u, 16u}) {
      const auto alone = sums(1, parts, in_turn);
      for (const unsigned threads : {2u, 3u, 8u}) EXPECT_EQ(sums(threads, parts, in_turn), alone) << parts << " parts";
    }
}

/// Threads of this process.
std::size_t threads_now() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(ThreadTeam, HasNoThreadsWhileItRests) {
  const std::size_t before = threads_now();
  std::vector<std::unique_ptr<Part>> parts;
  EpochEngine engine(Cycle{10}, 4);
  for (int i = 0; i < 5; ++i) engine.add(*parts.emplace_back(std::make_unique<Part>(1)));
  EXPECT_EQ(threads_now(), before + 3);
  for (const bool for_good : {false, true}) {
    engine.step();
    engine.rest(for_good);
    EXPECT_EQ(threads_now(), before);
    engine.step();
    EXPECT_EQ(threads_now(), for_good ? before : before + 3);
  }
  for (const auto& part : parts) EXPECT_EQ(part->calls, 4u);
}

TEST(ThreadTeam, ItsThreadsReceiveNoSignals) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const EpochEngine engine(Cycle{10}, 4);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGALRM), sigismember(&before, SIGALRM)) << "the caller's mask";
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(getpid())) continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigBlk:")) continue;
      EXPECT_NE(std::stoull(line.substr(7), nullptr, 16) >> (SIGALRM - 1) & 1, 0u);
    }
  }
}

TEST(ThreadTeam, StartsAndStopsWithoutWork) {
  for (int round = 0; round < 50; ++round) EpochEngine(Cycle{10}, 4);
}

TEST(Cores, AreNotMoreThanTheQuotaOfTheControlGroup) {
  EXPECT_EQ(quota_cores("200000 100000\n"), 2u);
  EXPECT_EQ(quota_cores("150000\n100000\n"), 2u);
  EXPECT_EQ(quota_cores("1000 100000"), 1u);
  for (const char* none : {"max 100000\n", "-1\n100000\n", "0 100000", "100000 0", "100000", "", "?"})
    EXPECT_EQ(quota_cores(none), 0u) << none;
}

TEST(Cores, EachHasAtMostOneThread) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_GE(usable_cores(), 1u);
  EXPECT_LE(usable_cores(), static_cast<unsigned>(CPU_COUNT(&before)));
  EXPECT_EQ(threads_on_cores(1), 1u);
  EXPECT_EQ(threads_on_cores(100'000), usable_cores());
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1u) << "a process that is bound to one core";
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

class Faulty final : public Component {
 public:
  void advance(Cycle until) override {
    if (++calls_ == 3) throw std::runtime_error("third");
    at_ = until;
  }
  Cycle next_event() const override { return at_; }

 private:
  Cycle at_{0};
  int calls_ = 0;
};

TEST(ThreadTeam, AnErrorOfAnyThreadReachesTheCaller) {
  for (int round = 0; round < 20; ++round) {
    std::vector<Faulty> parts(5);
    EpochEngine engine(Cycle{10}, 4);
    for (Faulty& part : parts) engine.add(part);
    EXPECT_TRUE(engine.step());
    EXPECT_TRUE(engine.step());
    EXPECT_THROW(engine.step(), std::runtime_error);
  }
}

/// Counts how often it makes each block; two of them are damaged.
class Blocks final : public trace::BlockSource {
 public:
  explicit Blocks(bool decodes, std::uint32_t name = 0) : name_(name), decodes_(decodes) {}
  const trace::KernelInfo& kernel() const override { return kernel_; }
  std::uint64_t block_count() const override { return made.size(); }
  bool decodes() const override { return decodes_; }
  std::shared_ptr<const trace::BlockTrace> block(BlockId id) override {
    ++made[id.value];
    if (id.value % 10 == 5) throw InputError("block {} is damaged", id.value);
    auto block = std::make_shared<trace::BlockTrace>();
    block->id.x = static_cast<std::uint32_t>(id.value) + name_;
    return block;
  }
  std::string hash() const override { return {}; }

  std::vector<int> made = std::vector<int>(20);

 private:
  trace::KernelInfo kernel_;
  std::uint32_t name_;
  bool decodes_;
};

/// What take() gives or says for a block.
std::string taken(BlocksAhead& ahead, Blocks& from, std::uint64_t id) {
  try {
    return std::to_string(ahead.take(from, BlockId(id))->id.x);
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(BlocksAhead, AreThoseThatTheSourceGives) {
  for (const unsigned threads : {1u, 2u, 5u, 40u}) {
    BlocksAhead ahead(std::make_shared<ThreadTeam>(threads));
    Blocks first(true), second(true, 100);
    for (std::uint64_t id = 0; id < 20; ++id)
      for (Blocks* from : {&first, &second}) {  // launches side by side
        const std::uint64_t name = from == &second ? 100 + id : id;
        const std::string expected = id % 10 == 5 ? fmt::format("block {} is damaged", id) : std::to_string(name);
        EXPECT_EQ(taken(ahead, *from, id), expected) << threads << " threads";
      }
    EXPECT_EQ(taken(ahead, first, 3), "3") << "once more";
    taken(ahead, first, 6);
    ahead.clear();
    first.made.assign(20, 0);
    EXPECT_EQ(taken(ahead, first, 7), "7");
    EXPECT_EQ(first.made[7], 1) << "decoded before clear()";
  }
}

TEST(BlocksAhead, EachIsDecodedOnce) {
  for (const unsigned threads : {1u, 2u, 3u, 40u}) {
    BlocksAhead ahead(std::make_shared<ThreadTeam>(threads));
    Blocks from(true);
    for (const std::uint64_t id : {0, 1, 2, 3, 4, 6, 7, 17, 18, 19})  // some are skipped
      EXPECT_EQ(taken(ahead, from, id), std::to_string(id));
    for (const std::uint64_t id : {0, 1, 2, 3, 4, 6, 7, 17, 18, 19})
      EXPECT_EQ(from.made[id], 1) << threads << ' ' << id;
    for (const int times : from.made) EXPECT_LE(times, 1);
  }
}

TEST(BlocksAhead, AreAFewAndOnlyOfTracesThatAreDecoded) {
  BlocksAhead ahead(std::make_shared<ThreadTeam>(3u)), alone(std::make_shared<ThreadTeam>(1u));
  Blocks decoded(true), ready(false), decoded_alone(true);
  taken(ahead, decoded, 4);
  taken(ahead, ready, 4);
  taken(alone, decoded_alone, 4);
  for (int id = 0; id < 20; ++id) {
    EXPECT_EQ(decoded.made[id], id >= 4 && id < 10) << id;
    EXPECT_EQ(ready.made[id], id == 4) << id;
    EXPECT_EQ(decoded_alone.made[id], id == 4) << id;
  }
}

}  // namespace
}  // namespace sassim::arch
