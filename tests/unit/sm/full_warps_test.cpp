// SPDX-License-Identifier: Apache-2.0
// Which executions by a part of a warp are left out.
#include "arch/sm/warps/full_warps.h"

#include <gtest/gtest.h>

namespace sassim::arch {
namespace {

/// Executions that are issued, of `count` in a row by so many threads.
int issued(FullWarps& warp, std::uint32_t index, std::uint32_t threads, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += warp.takes_in(index, threads) ? 0 : 1;
  return sum;
}

TEST(FullWarps, AnInstructionIsIssuedAsOftenAsItsThreadsFillWarps) {
  const std::vector<bool> may(3, true);
  FullWarps warp;
  warp.start(may);
  EXPECT_EQ(issued(warp, 0, 32, 5), 5) << "full ones, always";
  EXPECT_EQ(issued(warp, 1, 1, 64), 2);
  EXPECT_EQ(issued(warp, 2, 20, 8), 5) << "160 threads";
}

TEST(FullWarps, AWarpThatBeginsWithFewThreadsIsFullWithThese) {
  const std::vector<bool> may(1, true);
  FullWarps warp;
  warp.start(may);
  EXPECT_EQ(issued(warp, 0, 4, 8), 8);
  EXPECT_EQ(issued(warp, 0, 2, 8), 4);
}

TEST(FullWarps, WhatOthersSeeIsNotLeftOut) {
  const std::vector<bool> may{true, false};
  FullWarps warp;
  warp.start(may);
  EXPECT_EQ(issued(warp, 0, 32, 1), 1);
  EXPECT_EQ(issued(warp, 1, 1, 64), 64);
}

}  // namespace
}  // namespace sassim::arch
