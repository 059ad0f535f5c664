// SPDX-License-Identifier: Apache-2.0
// Constants that a processing block looks up at issue: operands, and those that ULDC reads through a register.
#include <gtest/gtest.h>

#include <vector>

#include "arch/sm/constant_cache.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

class Constants {
 public:
  Constants() : l15_(front_end(), port_), cache_(geometry(), l15_, 0) {
    l15_.preload(0, 4096);
    cache_.start_kernel(0, false);
  }
  bool operand(std::uint32_t address, std::uint32_t warp) { return cache_.access(address, warp, now_); }
  bool indexed(std::uint32_t address, std::uint32_t warp) { return cache_.access_indexed(address, warp, now_); }
  /// The warps that each answer of the L1.5 wakes, in the order of the answers, and when the last one came.
  std::vector<WarpMask> answers() {
    std::vector<WarpMask> all;
    for (const Cycle end = now_ + 200; now_ < end; now_ = now_ + 1)
      l15_.pop(now_, [&](const InstructionCache::Client& client) {
        all.push_back(cache_.fill(client.what));
        last_ = now_;
      });
    return all;
  }
  Cycle last() const { return last_; }
  Cycle now() const { return now_; }

 private:
  static config::FrontEnd front_end() {
    config::FrontEnd config;
    config.constant_interval = 8;
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
  Cycle now_{1}, last_;
};

TEST(ConstantCache, WarpsThatMissOneOperandShareItsLine) {
  Constants constants;
  EXPECT_FALSE(constants.operand(0, 0));
  EXPECT_FALSE(constants.operand(32, 1));
  EXPECT_EQ(constants.answers(), std::vector<WarpMask>{3});
  EXPECT_TRUE(constants.operand(63, 2));
}

TEST(ConstantCache, EveryWarpAsksForItsIndexedLineAndTheL15TakesTurns) {
  Constants constants;
  const Cycle start = constants.now();
  EXPECT_FALSE(constants.indexed(0, 0));
  EXPECT_FALSE(constants.indexed(0, 1));
  EXPECT_FALSE(constants.indexed(64, 2));
  EXPECT_EQ(constants.answers(), (std::vector<WarpMask>{1, 2, 4}));
  EXPECT_EQ(constants.last(), start + 58 + 2 * 8);
}

TEST(ConstantCache, FourIndexedLinesStayAndTheFifthPushesTheOldestOut) {
  Constants constants;
  for (std::uint32_t line = 0; line < 4; ++line) {
    EXPECT_FALSE(constants.indexed(line * 64, 0));
    constants.answers();
    EXPECT_TRUE(constants.indexed(line * 64, 0));
  }
  for (std::uint32_t line = 0; line < 4; ++line) EXPECT_TRUE(constants.indexed(line * 64 + 4, 1)) << line;
  EXPECT_FALSE(constants.indexed(4 * 64, 0));
  constants.answers();
  EXPECT_FALSE(constants.indexed(0, 1)) << "pushed out";
  EXPECT_TRUE(constants.indexed(0, 0)) << "a warp whose line came goes on, whatever others did meanwhile";
}

TEST(ConstantCache, OperandsAndIndexedConstantsDoNotPushEachOtherOut) {
  Constants constants;
  EXPECT_FALSE(constants.operand(0, 0));
  constants.answers();
  for (std::uint32_t line = 0; line < 8; ++line) {
    EXPECT_FALSE(constants.indexed(line * 64, 1));
    constants.answers();
    EXPECT_TRUE(constants.indexed(line * 64, 1));
  }
  EXPECT_TRUE(constants.operand(0, 0));
}

}  // namespace
}  // namespace sassim::arch::test
