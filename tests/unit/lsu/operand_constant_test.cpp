// SPDX-License-Identifier: Apache-2.0
// Constants that a processing block looks up at issue: operands, and those that ULDC reads through a register.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "arch/sm/fetch/constant_cache.h"
#include "sim/config/gpu_config.h"
#include "tests/unit/lsu/bench.h"

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
