// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "arch/sm/fetch/constant_cache.h"
#include "sim/config/gpu_config.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

const isa::Decoded kLoadConstant = decoded(isa::OpClass::load_const, isa::Space::constant);

std::uint64_t hit_after(const config::Sm& sm) { return sm.constant.ldc_latency - sm.memory_io.pipeline; }

TEST(VariableConstantCache, MissesGoToTheL15AndHitsTakeTheirLatency) {
  Bench bench;
  const UnitOp op = make_op(kLoadConstant, [](int) { return (3ull << 32) + 256; });
  EXPECT_EQ(bench.result_after(op) + bench.sm.memory_io.pipeline, bench.sm.constant.l15_latency);
  ASSERT_EQ(bench.constants.asked.size(), 1u);
  EXPECT_EQ(bench.constants.asked[0], (3ull << 32) + 256);
  EXPECT_EQ(bench.result_after(op), hit_after(bench.sm));
  EXPECT_EQ(*bench.times[1].sources_read, *bench.times[1].written_back) << "the index register is held to the end";
}

TEST(VariableConstantCache, AmpereTable) {
  config::Sm sm;  // MICRO 2025 paper, table 2: immediate 26, sources 10; regular 29 and 29
  sm.constant.ldc_latency = 29;
  Bench bench(sm);
  UnitOp op = make_op(kLoadConstant, [](int) { return 0; });
  bench.result_after(op);
  EXPECT_EQ(bench.result_after(op) + sm.memory_io.pipeline, 29u);
  EXPECT_EQ((*bench.times[1].sources_read - bench.times[1].accepted).value + sm.memory_io.pipeline, 29u);
  op.uniform_address = true;
  EXPECT_EQ(bench.result_after(op) + sm.memory_io.pipeline, 26u);
  EXPECT_EQ((*bench.times[2].sources_read - bench.times[2].accepted).value + sm.memory_io.pipeline, 10u);
}

TEST(VariableConstantCache, DistinctWordsAreServedOneByOne) {
  Bench bench;
  for (int distinct : {1, 2, 4, 16}) {
    const UnitOp op = make_op(kLoadConstant,
                              [&](int lane) { return std::uint64_t{4} * static_cast<std::uint64_t>(lane % distinct); });
    bench.result_after(op);
    EXPECT_EQ(bench.result_after(op), hit_after(bench.sm) + (distinct - 1) * bench.sm.constant.ldc_pass);
  }
}

TEST(VariableConstantCache, AnInstructionKeepsTheNextOutForItsWordsOnly) {
  config::Sm sm;  // measured on an H200: 11 cycles of latency per further word, 2 of throughput, 8 bytes at a time
  sm.constant.ldc_pass = 11;
  sm.constant.ldc_interval = 2;
  const isa::Decoded wide = decoded(isa::OpClass::load_const, isa::Space::constant, 16);
  for (const auto& [load, distinct, kept] : {std::tuple{&kLoadConstant, 1, 2}, {&kLoadConstant, 4, 8}, {&wide, 1, 4}}) {
    Bench bench(sm);
    const UnitOp op = make_op(
        *load, [words = distinct](int lane) { return std::uint64_t{4} * static_cast<std::uint64_t>(lane % words); });
    bench.result_after(op);
    for (int i = 0; i < 8; ++i) bench.issue(op);
    bench.drain();
    EXPECT_EQ((*bench.times[8].written_back - *bench.times[7].written_back).value, kept) << distinct;
  }
}

// Whose guard is false in all threads reads no word, but takes a turn.
TEST(VariableConstantCache, AnInstructionWithoutThreadsTakesATurn) {
  config::Sm sm;
  sm.memory_io.accept_interval = 1;
  sm.constant.ldc_interval = 4;
  Bench bench(sm);
  const UnitOp op = make_op(kLoadConstant, [](int) { return 0; });
  UnitOp none = op;
  none.lanes.bits = 0;
  bench.result_after(op);
  bench.issue(none);
  bench.issue(none);
  bench.issue(op);
  bench.issue(op);
  bench.drain();
  const auto end = [&](std::size_t i) { return bench.times[i].written_back->value; };
  EXPECT_EQ(end(2) - end(1), 1u);
  EXPECT_EQ(end(3) - end(2), 1u);
  EXPECT_EQ(end(4) - end(3), sm.constant.ldc_interval);
}

TEST(VariableConstantCache, HoldsItsSizeAndNoMore) {
  config::Sm sm;
  const std::uint64_t lines = sm.constant.variable.size / sm.constant.variable.line;
  Bench bench(sm);
  const auto walk = [&](std::uint64_t count) {
    for (std::uint64_t line = 0; line < count; ++line)
      bench.result_after(make_op(kLoadConstant, [&](int) { return line * sm.constant.variable.line; }));
    return bench.constants.asked.size();
  };
  EXPECT_EQ(walk(lines), lines);
  EXPECT_EQ(walk(lines), lines);
  walk(lines + 1);
  EXPECT_GT(walk(lines + 1), lines + 1);
}

// const.chase.s256.2048: eight lines 256 bytes apart stay beside those of the launch.
TEST(VariableConstantCache, TheLaunchHasSetsOfItsOwnBesideEveryFourthLine) {
  Bench bench;
  const auto walk = [&] {
    bench.result_after(make_op(kLoadConstant, [](int) { return std::uint64_t{0x210}; }));
    for (std::uint64_t line = 0; line < 8; ++line)
      bench.result_after(make_op(kLoadConstant, [&](int) { return (3ull << 32) + line * 256; }));
    return bench.constants.asked.size();
  };
  EXPECT_EQ(walk(), 9u);
  EXPECT_EQ(walk(), 9u);
}

// Eight lines that are all missing: one round trip after the other, or all in the first one's.
TEST(VariableConstantCache, LinesOfTheNextInstructionsComeMeanwhile) {
  std::vector<std::uint64_t> ends;
  for (std::uint32_t ahead : {0u, 7u}) {
    config::Sm sm;
    sm.constant.ldc_ahead = ahead;
    Bench bench(sm);
    for (std::uint64_t line = 0; line < 8; ++line)
      bench.issue(make_op(kLoadConstant, [&](int) { return line * sm.constant.variable.line; }));
    bench.drain();
    EXPECT_EQ(bench.constants.asked.size(), 8u) << "each line once";
    for (std::size_t i = 1; i < 8; ++i) EXPECT_GT(*bench.times[i].written_back, *bench.times[i - 1].written_back);
    ends.push_back(bench.times[7].written_back->value);
  }
  const config::ConstantCaches constant;
  const std::uint64_t trip = constant.l15_latency - constant.ldc_latency;
  EXPECT_GE(ends[0], 8 * trip);
  EXPECT_LE(ends[1], trip + 8 * 2 * constant.ldc_interval + constant.ldc_latency);
}

TEST(VariableConstantCache, ImpossibleGeometryIsRefused) {
  config::Sm sm;
  sm.constant.variable.size = 1000;
  EXPECT_THROW(Bench{sm}, InputError);
}

config::Sm with_adu_queue(std::uint32_t loads, std::uint32_t lines) {
  config::Sm sm;
  sm.memory_io.adu_queue.entries = 4;
  sm.memory_io.adu_queue.loads = loads;
  sm.memory_io.adu_queue.lines = lines;
  return sm;
}

UnitOp load_line(std::uint64_t line) {
  return make_op(kLoadConstant, [&](int) { return line * config::Sm{}.constant.variable.line; });
}

TEST(VariableConstantCache, HitsOvertakeMisses) {
  Bench bench(with_adu_queue(8, 2));
  EXPECT_EQ(bench.result_after(load_line(0)) + bench.sm.memory_io.pipeline, bench.sm.constant.l15_latency);
  bench.issue(load_line(5));
  bench.issue(load_line(0));
  bench.drain();
  EXPECT_EQ((*bench.times[2].written_back - bench.times[2].accepted).value, hit_after(bench.sm));
  EXPECT_EQ((*bench.times[1].written_back - bench.times[1].accepted).value + bench.sm.memory_io.pipeline,
            bench.sm.constant.l15_latency);
}

TEST(VariableConstantCache, SoManyLoadsAreInFlight) {
  Bench bench(with_adu_queue(3, 2));
  for (int i = 0; i < 3; ++i) bench.issue(load_line(0));
  EXPECT_EQ(bench.pipeline.ready(UnitQueue::adu, load_line(0), bench.now + 10), kNever) << "until the line comes";
  const isa::Decoded special = decoded(isa::OpClass::s2r, isa::Space::none);
  EXPECT_EQ(bench.pipeline.ready(UnitQueue::adu, make_op(special, [](int) { return 0; }), bench.now), bench.now)
      << "S2R need no place there";
  bench.issue(load_line(0));
  bench.drain();
  EXPECT_GE(bench.times[3].accepted, *bench.times[0].written_back);
  EXPECT_EQ(bench.constants.asked.size(), 1u) << "they share a line";
}

TEST(VariableConstantCache, SoManyLinesAreInFlight) {
  std::vector<std::uint64_t> ends;
  for (const std::uint32_t lines : {1u, 2u, 4u}) {
    Bench bench(with_adu_queue(8, lines));
    for (std::uint64_t line = 0; line < 4; ++line) bench.issue(load_line(line));
    bench.drain();
    ends.push_back(bench.times[3].written_back->value);
  }
  const std::uint64_t trip = config::Sm{}.constant.l15_latency - config::Sm{}.constant.ldc_latency;
  EXPECT_GE(ends[0] - ends[1], trip);
  EXPECT_GE(ends[1] - ends[2], trip / 2);
}

}  // namespace
}  // namespace sassim::arch::test

// Constants that a processing block looks up at issue: operands, and those that ULDC reads through a register.
namespace sassim::arch::test {
namespace {

class Constants {
 public:
  Constants() : l15_(front_end(), port_), cache_(geometry(), l15_, 0) {
    l15_.preload(0, 4096);
    cache_.start_kernel(0, false);
  }
  bool operand(std::uint32_t address, std::uint32_t warp) { return cache_.access(at(address), WarpIndex(warp), now_); }
  bool indexed(std::uint32_t address, std::uint32_t warp = 0) {
    return cache_.access_indexed(at(address), WarpIndex(warp), now_);
  }
  /// The warps that each answer of the L1.5 wakes, in the order of the answers, and when the last one came.
  std::vector<WarpMask> answers() {
    std::vector<WarpMask> all;
    for (const Cycle end = now_ + 200; now_ < end; now_ = now_ + 1)
      l15_.pop(now_, [&](const InstructionCache::Client& client) {
        all.push_back(cache_.fill(client, *scheduler_, view_, now_));
        last_ = now_;
      });
    return all;
  }
  void age(std::uint32_t warp, std::uint64_t age) { view_.age[warp] = age; }
  Cycle last() const { return last_; }
  Cycle now() const { return now_; }

 private:
  static ConstantAddress at(std::uint32_t offset) { return {0, static_cast<std::uint16_t>(offset)}; }
  static config::FrontEnd front_end() {
    config::FrontEnd config;
    config.gpc_constants.interval = 8;
    return config;
  }
  static config::ConstantCaches geometry() {
    config::ConstantCaches config;
    config.indexed = {256, 64, 4};
    config.fixed_miss_latency = 58;
    return config;
  }
  FixedPort port_{280};
  InstructionCache l15_;
  ConstantCache cache_;
  ScheduleView view_;
  std::unique_ptr<WarpScheduler> scheduler_ = WarpSchedulers::instance().make("oldest");
  Cycle now_{1}, last_;
};

TEST(ConstantCache, WarpsThatMissOneOperandShareItsLine) {
  Constants constants;
  EXPECT_FALSE(constants.operand(0, 0));
  EXPECT_FALSE(constants.operand(32, 1));
  EXPECT_EQ(constants.answers(), std::vector<WarpMask>{3});
  EXPECT_TRUE(constants.operand(63, 2));
}

TEST(ConstantCache, AnIndexedLineIsAskedForOnce) {
  Constants constants;
  const Cycle start = constants.now();
  EXPECT_FALSE(constants.indexed(0));
  EXPECT_FALSE(constants.indexed(4, 1)) << "of the same line";
  EXPECT_FALSE(constants.indexed(64, 2));
  EXPECT_FALSE(constants.indexed(128, 3));
  EXPECT_EQ(constants.answers(), (std::vector<WarpMask>{3, 4, 8})) << "who waited";
  EXPECT_EQ(constants.last(), start + 58 + 2 * 8 / 2) << "its turn has four lines, twice as fast as on average";
  for (const std::uint32_t address : {0, 4, 64, 128}) EXPECT_TRUE(constants.indexed(address, 9));
}

TEST(ConstantCache, FourIndexedLinesStayAndTheFifthPushesTheOldestOut) {
  Constants constants;
  for (std::uint32_t line = 0; line < 4; ++line) {
    EXPECT_FALSE(constants.indexed(line * 64));
    constants.answers();
    EXPECT_TRUE(constants.indexed(line * 64));
  }
  for (std::uint32_t line = 0; line < 4; ++line) EXPECT_TRUE(constants.indexed(line * 64 + 4)) << line;
  EXPECT_FALSE(constants.indexed(4 * 64));
  EXPECT_FALSE(constants.indexed(0)) << "pushed out at once, and asked for again";
  EXPECT_EQ(constants.answers().size(), 2u);
  EXPECT_TRUE(constants.indexed(4 * 64));
  EXPECT_TRUE(constants.indexed(0));
  EXPECT_TRUE(constants.indexed(3 * 64));
  EXPECT_FALSE(constants.indexed(64)) << "the oldest when line 0 came back";
}

TEST(ConstantCache, ALineThatIsComingKeepsItsPlace) {
  Constants constants;
  for (std::uint32_t line = 0; line < 4; ++line) EXPECT_FALSE(constants.indexed(line * 64, line));
  EXPECT_FALSE(constants.indexed(4 * 64, 4)) << "no place for it: nothing is asked for";
  EXPECT_EQ(constants.answers(), (std::vector<WarpMask>{1, 2, 4, 8, 16})) << "the first to come makes room";
  for (std::uint32_t line = 0; line < 5; ++line) EXPECT_TRUE(constants.indexed(line * 64, line)) << line;
}

TEST(ConstantCache, WhoWaitsTriesAgainTheOldestFirstUntilThePlaceIsTaken) {
  for (const bool in_time : {true, false}) {
    Constants constants;
    for (std::uint32_t warp = 0; warp < 6; ++warp) constants.age(warp, 10 + warp);
    if (in_time) constants.age(5, 1);
    for (std::uint32_t line = 0; line < 4; ++line) EXPECT_FALSE(constants.indexed(line * 64, line));
    EXPECT_FALSE(constants.indexed(4 * 64, 4)) << "no place for it";
    EXPECT_FALSE(constants.indexed(0, 5)) << "on its way";
    const auto expected =
        in_time ? std::vector<WarpMask>{1 | 32, 2, 4, 8, 16} : std::vector<WarpMask>{1, 2, 4, 8, 16, 32};
    EXPECT_EQ(constants.answers(), expected);
  }
}

TEST(ConstantCache, WhoHasWaitedForALineReadsItOnceWhateverOthersDidMeanwhile) {
  Constants constants;
  EXPECT_FALSE(constants.indexed(0, 0));
  EXPECT_FALSE(constants.indexed(0, 1));
  constants.answers();
  for (std::uint32_t line = 1; line <= 4; ++line) EXPECT_FALSE(constants.indexed(line * 64, 1 + line));
  EXPECT_TRUE(constants.indexed(0, 0));
  EXPECT_TRUE(constants.indexed(0, 1));
  EXPECT_FALSE(constants.indexed(0, 2)) << "pushed out";
  EXPECT_FALSE(constants.indexed(0, 0));
}

TEST(ConstantCache, OperandsAndIndexedConstantsDoNotPushEachOtherOut) {
  Constants constants;
  EXPECT_FALSE(constants.operand(0, 0));
  constants.answers();
  for (std::uint32_t line = 0; line < 8; ++line) {
    EXPECT_FALSE(constants.indexed(line * 64));
    constants.answers();
    EXPECT_TRUE(constants.indexed(line * 64));
  }
  EXPECT_TRUE(constants.operand(0, 0));
}

}  // namespace
}  // namespace sassim::arch::test
