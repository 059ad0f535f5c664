// SPDX-License-Identifier: Apache-2.0
// From the L1 instruction cache to the instruction buffer: pieces of lines, stream buffer, constants beside code.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "arch/sm/fetch/constant_cache.h"
#include "arch/sm/fetch/front_end.h"
#include "arch/sm/fetch/instruction_cache.h"
#include "arch/sm/units/constants/l15_port.h"
#include "tests/support/fixed_port.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch {
namespace {

using Wants = InstructionCache::Client::Wants;
constexpr std::uint64_t kL2 = 100;  ///< cycles of everything behind the L1

/// So many instructions from address 0 on.
CodePlace instructions_from_zero(std::uint64_t instructions) { return {0, isa::CodeLayout().bytes(instructions), {}}; }

config::FrontEnd front_config(std::uint32_t l1_line = 512) {
  config::FrontEnd front;
  front.l0 = {1024, 128, 2};
  front.l1 = {8192, l1_line, 4};
  front.l1_latency = 30;
  front.l1_pending_requests = 8;
  front.prefetch_entries = 0;
  front.fill_cycles = 0;
  return front;
}

/// An L1 instruction cache, its answers by time.
class Cache {
 public:
  explicit Cache(const config::FrontEnd& config) : port(kL2), l1(config, port) {}
  void ask(std::uint64_t address, std::uint64_t at, std::uint32_t bytes = 128) {
    l1.request(address, bytes, 30, {0, Wants::code, address}, Cycle(at));
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> run(std::uint64_t until = 1000) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> answers;
    for (std::uint64_t t = 0; t < until; ++t) {
      while (const MemReply* reply = port.front(Cycle(t))) {
        l1.reply(*reply, Cycle(t));
        port.pop();
      }
      l1.pop(Cycle(t), [&](const InstructionCache::Client& client) { answers.emplace_back(client.what, t); });
      l1.cycle(Cycle(t));
    }
    return answers;
  }
  test::FixedPort port;
  InstructionCache l1;
};
using Answers = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST(InstructionCache, ARequestLeavesWithTheEarliestCreditInWhateverOrderTheyAreKnown) {
  Cache cache(front_config());
  cache.port.free = Cycle(900);  // the first credit that is known
  cache.ask(0, 0);
  EXPECT_TRUE(cache.run(200).empty());
  EXPECT_EQ(cache.l1.next_event(), Cycle(900));
  cache.port.free = Cycle(250);
  EXPECT_EQ(cache.l1.next_event(), Cycle(250)) << "a later message brings an earlier one";
}

TEST(InstructionCache, AHitTakesItsLatencyAndLookupsAreOneACycle) {
  Cache cache(front_config());
  cache.l1.preload(0, 1024);
  for (const std::uint64_t address : {0, 128, 512}) cache.ask(address, 10);
  EXPECT_EQ(cache.run(), (Answers{{0, 40}, {128, 41}, {512, 42}}));
  EXPECT_EQ(cache.port.sent(), 0u);
  EXPECT_TRUE(cache.l1.idle());
}

TEST(InstructionCache, AMissBringsTheWholeLineWantedPieceFirst) {
  Cache cache(front_config());
  cache.ask(256, 10);  // the third of four pieces
  cache.ask(0, 10);
  const Answers answers = cache.run();
  EXPECT_EQ(cache.port.sent(), 4u);
  ASSERT_EQ(answers.size(), 2u);
  const std::uint64_t first = 11 + kL2 + 30;
  EXPECT_EQ(answers[0], (std::pair<std::uint64_t, std::uint64_t>{256, first}));
  EXPECT_EQ(answers[1].first, 0u);
  EXPECT_GE(answers[1].second, first);
  cache.ask(384, 1000);
  cache.run(1001);
  EXPECT_EQ(cache.port.sent(), 4u) << "the line is there";
}

TEST(InstructionCache, ConstantsThatTakeTurnsWithOtherSmsDoNotKeepInstructionsWaiting) {
  Cache cache(front_config());
  cache.l1.preload(0, 1024);
  cache.l1.alternate_constants(32, {0, 16, 32, 48});
  for (const std::uint64_t address : {0, 128, 256})
    cache.l1.request(address, 64, 30, {0, Wants::operand, address}, Cycle(10));
  cache.ask(512, 10);
  const Answers answers = cache.run();
  EXPECT_EQ(answers, (Answers{{0, 40}, {512, 40}, {128, 56}, {256, 72}}));
}

TEST(InstructionCache, ConstantsOfANewPlaceAreInFlightFromTheFirstRequest) {
  for (const std::uint32_t turns : {1u, 32u}) {
    Cache cache(front_config());
    cache.l1.preload(0, 1024);
    cache.l1.alternate_constants(turns, {0, 16, 32, 48});
    cache.l1.constants_arrive_after(100);
    cache.l1.request(0, 64, 30, {0, Wants::operand, 0}, Cycle(10));
    cache.ask(512, 20);
    cache.l1.request(128, 64, 30, {0, Wants::operand, 128}, Cycle(300));
    EXPECT_EQ(cache.run(), (Answers{{512, 20 + 30}, {0, 10 + 100 + 30}, {128, 300 + 30}}))
        << "neither code nor later constants wait";
  }
}

TEST(InstructionCache, ConstantsOfAnSmComeFourAtATimeAndAfterThoseOfTheOther) {
  const auto times = [](bool second) {
    Cache cache(front_config());
    cache.l1.preload(0, 1024);
    cache.l1.alternate_constants(32, first_constants({.interval = 2, .pairs = 8, .second = second}));
    for (std::uint64_t line = 0; line < 6; ++line)
      cache.l1.request(line * 128, 64, 30, {0, Wants::operand, line}, Cycle(10));
    std::vector<std::uint64_t> all;
    for (const auto& [what, at] : cache.run()) all.push_back(at);
    return all;
  };
  EXPECT_EQ(times(false), (std::vector<std::uint64_t>{40, 56, 72, 88, 168, 184}));
  // A line of the first SM's own is behind the first of the second.
  EXPECT_EQ(times(true), (std::vector<std::uint64_t>{104, 136, 152, 168, 232, 248}));
}

TEST(ConstantTurns, AnEarlyPairHasItsLinesBeforeTheOthersAsk) {
  using Lines = std::array<std::uint32_t, kConstantTurn>;
  EXPECT_EQ(first_constants({.interval = 2}), (Lines{0, 2, 4, 6}));
  EXPECT_EQ(first_constants({.interval = 2, .second = true}), (Lines{8, 12, 14, 16}));
  // The second pair comes at 4, when the first has had two lines.
  EXPECT_EQ(first_constants({.interval = 2, .skew = 4, .pairs = 2}), (Lines{0, 2, 6, 10}));
  EXPECT_EQ(first_constants({.interval = 2, .skew = 4, .pairs = 2, .pair = 1}), (Lines{4, 8, 12, 16}));
  EXPECT_EQ(first_constants({.interval = 2, .skew = 100, .pairs = 2, .pair = 1}), (Lines{100, 102, 104, 106}));
}

TEST(InstructionCache, WhatComesFromTheL2SkipsTheLookup) {
  config::FrontEnd config = front_config(128);
  config.l1_lookup = 9;
  Cache cache(config);
  cache.ask(0, 10);
  EXPECT_EQ(cache.run(), (Answers{{0, 11 + kL2 + 30 - 9}}));
}

TEST(InstructionCache, ConstantsFromTheL2TakeLongerThanCode) {
  config::FrontEnd config = front_config(128);
  config.constant_delay = 7;
  Cache cache(config);
  cache.l1.request(0, 128, 30, {0, Wants::load, 0}, Cycle(10));
  EXPECT_EQ(cache.run(), (Answers{{0, 11 + kL2 + 30 + 7}}));
}

TEST(InstructionCache, NoMoreLinesAreUnderWayThanConfigured) {
  config::FrontEnd config = front_config(128);
  config.l1_pending_requests = 1;
  Cache cache(config);
  cache.ask(0, 10);
  cache.ask(128, 10);
  const Answers answers = cache.run();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_GE(answers[1].second - answers[0].second, kL2);
}

TEST(InstructionCache, CodeOfALaunchIsThereWhenItHasCome) {
  Cache cache(front_config(128));
  cache.l1.preload(0, 256);
  cache.l1.code_arrives(Cycle(90));
  cache.ask(0, 10);
  cache.l1.request(128, 128, 30, {0, Wants::operand, 128}, Cycle(20));
  EXPECT_EQ(cache.run(80), (Answers{{128, 20 + 30}})) << "constants do not wait";
  cache.ask(0, 95);
  EXPECT_EQ(cache.run(), (Answers{{0, 90 + 30}, {0, 95 + 30}}));
}

TEST(InstructionCache, LinesShorterThanThoseOfTheL2) {
  Cache cache(front_config(64));
  cache.ask(64, 10, 64);
  cache.ask(0, 10, 64);
  const Answers answers = cache.run();
  EXPECT_EQ(answers.size(), 2u);
  EXPECT_TRUE(cache.l1.idle());
}

/// One processing block's fetch, with its warps' buffers.
class Fetch {
 public:
  explicit Fetch(const config::FrontEnd& config, std::uint64_t instructions = 64)
      : kernel(code(instructions)), source(kernel.source()), cache(config), front(config, cache.l1, 0) {
    const auto block = source->block(BlockId(0));
    for (std::uint32_t w = 0; w < 2; ++w) {
      buffers.emplace_back();
      buffers.back().start(block->warps[0]->cursor(), {});
      view.age[w] = w;
    }
    front.start_kernel(instructions_from_zero(instructions), false);
    cache.l1.preload(0, instructions_from_zero(instructions).bytes);
  }
  FrontEnd::Fetched fetch(std::uint64_t at) {
    cache.l1.pop(Cycle(at), [&](const InstructionCache::Client& client) { front.arrived(client.what, Cycle(at)); });
    front.dequeue_fills(Cycle(at));
    return front.idle() ? FrontEnd::Fetched{} : front.fetch(*scheduler, view, buffers, Cycle(at));
  }
  /// When the warp's n-th instruction has been fetched, running on without end.
  std::vector<std::uint64_t> run(std::uint32_t warp, std::size_t count) {
    std::vector<std::uint64_t> at;
    front.want(WarpIndex(warp));
    for (std::uint64_t t = 0; at.size() < count && t < 10000; ++t) {
      const FrontEnd::Fetched fetched = fetch(t);
      if (fetched.warp != warp) continue;
      at.push_back(t);
      buffers[warp].fetch(fetched.ready);
      buffers[warp].pop();
    }
    return at;
  }
  static test::SassKernel code(std::uint64_t instructions) {
    std::string text;
    for (std::uint64_t i = 0; i + 1 < instructions; ++i) text += "NOP ;\n";
    return test::SassKernel(text + "EXIT ;\n");
  }
  test::SassKernel kernel;
  std::unique_ptr<trace::BlockSource> source;
  Cache cache;
  FrontEnd front;
  ScheduleView view;
  std::unique_ptr<WarpScheduler> scheduler = WarpSchedulers::instance().make("greedy_youngest");
  std::vector<InstructionBuffer> buffers;
};

TEST(FrontEnd, FollowsTheWarpThatIssuedLastElseTheYoungest) {
  config::FrontEnd config = front_config();
  config.perfect = true;
  Fetch fetch(config);
  fetch.front.want(WarpIndex(0));
  fetch.front.want(WarpIndex(1));
  EXPECT_EQ(fetch.fetch(5).warp, 1u) << "the younger";
  fetch.view.last = WarpIndex(0);
  EXPECT_EQ(fetch.fetch(6).warp, 0u);
  EXPECT_EQ(fetch.fetch(6).ready, Cycle(6 + config.l0_latency));
  fetch.front.withdraw(WarpIndex(0));
  EXPECT_EQ(fetch.fetch(7).warp, 1u);
  fetch.front.withdraw(WarpIndex(1));
  EXPECT_TRUE(fetch.front.idle());
}

TEST(FrontEnd, AMissWaitsForTheL1AndLinesThatFollowDoToo) {
  Fetch fetch(front_config());
  const auto at = fetch.run(0, 9);  // eight instructions in a line
  EXPECT_EQ(at[0], 30u);
  EXPECT_EQ(at[7], 37u);
  EXPECT_EQ(at[8], 38u + 30u);
}

TEST(FrontEnd, TheStreamBufferHasTheNextLinesReady) {
  config::FrontEnd config = front_config();
  config.prefetch_entries = 2;
  Fetch fetch(config);
  const auto at = fetch.run(0, 32);
  // The two lines behind the missing one come a cycle each behind it; those further on have 16 instructions' time.
  EXPECT_EQ(at[23], 30u + 23u);
  EXPECT_LT(at[31], 30u + 31u + 30u - 8u) << "asked for when the line before it was begun";
}

TEST(FrontEnd, TheWayFromTheL1TakesLinesOneByOne) {
  config::FrontEnd config = front_config();
  config.prefetch_entries = 4;
  config.fill_cycles = 18;
  Fetch fetch(config);
  const auto at = fetch.run(0, 33);
  EXPECT_EQ(at[32] - at[24], 18u) << "a line of eight instructions every 18 cycles";
}

TEST(FrontEnd, FindsWhatAnotherProcessingBlockFetchedWhereTheL0sHoldTheSame) {
  for (const bool shared : {true, false}) {
    config::FrontEnd config = front_config();
    config.l0_shared = shared;
    Fetch fetch(config);
    FrontEnd other(config, fetch.cache.l1, 1);
    other.start_kernel(instructions_from_zero(64), false);
    fetch.run(0, 8);  // a line
    other.want(WarpIndex(1));
    const bool hit = other.fetch(*fetch.scheduler, fetch.view, fetch.buffers, Cycle(20'000)).warp == 1;
    EXPECT_EQ(hit, shared);
  }
}

TEST(FrontEnd, AWarpThatAnotherProcessingBlockServedIsNotServedAgain) {
  for (const bool after_another_warp : {false, true}) {
    config::FrontEnd config = front_config();
    config.l0_shared = true;
    Fetch fetch(config);
    const auto next = [&](std::uint32_t warp, std::uint64_t time) {
      fetch.front.want(WarpIndex(warp));
      return fetch.front.fetch(*fetch.scheduler, fetch.view, fetch.buffers, Cycle(time)).warp;
    };
    EXPECT_NE(next(0, 0), 0u) << "misses";
    fetch.cache.l1.l0().insert(0, {});
    if (after_another_warp) {
      EXPECT_EQ(next(1, 4), 1u) << "the line is then the last one used";
      fetch.front.withdraw(WarpIndex(1));
    }
    EXPECT_EQ(next(0, 5), 0u) << "its buffer had room for more";
    fetch.front.withdraw(WarpIndex(0));  // it ended
    for (std::uint64_t t = 6; t < 1000; ++t) fetch.fetch(t);
    EXPECT_TRUE(fetch.front.idle()) << "the line that it waited for has come";
  }
}

TEST(InstructionCache, ForgetsConstantsAndKeepsCode) {
  Cache cache(front_config());
  cache.l1.preload(0, 1024);
  cache.l1.preload(0x10000, 1024);
  cache.l1.invalidate(0x10000, 0x10000);
  cache.ask(512, 10);
  cache.ask(0x10000, 11);
  const Answers answers = cache.run();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0], (std::pair<std::uint64_t, std::uint64_t>{512, 40}));
  EXPECT_GE(answers[1].second, 11 + kL2) << "from the L2";
}

TEST(InstructionBuffer, LooksOneStepAheadAndKnowsWhenCodeDoesNotFollow) {
  test::SassKernel kernel("loop:\nNOP ;\n@P0 BRA loop ;\nEXIT ;\n");
  kernel.loop("loop", 2);
  const auto source = kernel.source();
  InstructionBuffer buffer;
  buffer.start(source->block(BlockId(0))->warps[0]->cursor(), {});
  EXPECT_EQ(buffer.fetched(), 0u);
  EXPECT_EQ(buffer.to_fetch()->index, 0u);
  EXPECT_TRUE(buffer.fetch(Cycle(3)));
  EXPECT_EQ(buffer.front().ready, Cycle(3));
  EXPECT_FALSE(buffer.fetch(Cycle(4))) << "back to the loop's top";
  EXPECT_EQ(buffer.second()->index, 1u);
  EXPECT_EQ(buffer.to_fetch()->index, 0u);
  std::vector<std::uint32_t> order;
  while (!buffer.finished()) {
    if (buffer.fetched() == 0) buffer.fetch(Cycle(9));
    order.push_back(buffer.front().index);
    buffer.pop();
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 0, 1, 2}));
}

TEST(ConstantCache, AMissAsksOnceAndNamesAllWhoWait) {
  Cache cache(front_config(128));
  cache.l1.preload(0x10000, 4096);
  config::ConstantCaches config;
  config.fixed = {256, 64, 2};
  config.fixed_miss_latency = 79;
  ConstantCache constants(config, cache.l1, 0);
  constants.start_kernel(0x10000, false);
  EXPECT_FALSE(constants.access({0, 0x160}, WarpIndex(2), Cycle(10)));
  EXPECT_FALSE(constants.access({0, 0x164}, WarpIndex(5), Cycle(11)));
  WarpMask woken = 0;
  std::uint64_t at = 0;
  for (std::uint64_t t = 11; t < 200; ++t)
    cache.l1.pop(Cycle(t), [&](const InstructionCache::Client& client) {
      EXPECT_TRUE(client.constant());
      woken |= constants.fill(client, *WarpSchedulers::instance().make("lrr"), ScheduleView{}, Cycle(t));
      at = t;
    });
  EXPECT_EQ(woken, 1u << 2 | 1u << 5);
  EXPECT_EQ(at, 10u + 79u);
  EXPECT_TRUE(constants.access({0, 0x17c}, WarpIndex(2), Cycle(200))) << "the same 64 bytes";
  EXPECT_FALSE(constants.access({0, 0x180}, WarpIndex(2), Cycle(200)));
}

TEST(L15Port, AddsWhatTheL15TakesBeyondTheFirstLevel) {
  Cache cache(front_config(128));
  cache.l1.preload(0x10000 + 0x30000, 4096);  // bank 3
  config::ConstantCaches config;
  config.ldc_latency = 27;
  config.l15_latency = 89;
  L15Port port(config, cache.l1);
  port.start_kernel(0x10000);
  port.request((3ull << 32) + 64, 7, Cycle(10));
  std::uint64_t at = 0;
  std::uint32_t tag = 0;
  EXPECT_EQ(port.next_reply(), kNever);
  for (std::uint64_t t = 10; t < 200; ++t)
    cache.l1.pop(Cycle(t), [&](const InstructionCache::Client& client) {
      port.arrived(static_cast<std::uint32_t>(client.what), Cycle(t));
      at = t;
    });
  EXPECT_EQ(at, 10u + 89 - 27);
  EXPECT_TRUE(port.pop_reply(Cycle(at), tag));
  EXPECT_EQ(tag, 7u);
  EXPECT_FALSE(port.pop_reply(Cycle(at), tag));
}

}  // namespace
}  // namespace sassim::arch
