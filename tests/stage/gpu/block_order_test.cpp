// SPDX-License-Identifier: Apache-2.0
// Which SMs get a kernel's first blocks, against what an H200 does (h200/block-placement.md).
#include "arch/gpu/block_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/base/error.h"
#include "sim/config/loader.h"

namespace sassim::arch::test {
namespace {

using Sms = std::vector<std::size_t>;

config::Launch groups_of_small_chip() {
  config::Launch launch;
  launch.sm_order = {8, 9, 0, 1, 4, 5, 2, 3, 6, 7};
  launch.group_sms = {2, 4, 4};
  launch.first_group_turns = 3;
  return launch;
}

TEST(BlockOrder, WithoutGroupsOneSmComesAfterTheOther) {
  config::Launch launch;
  launch.sm_order = {2, 9, 1};
  const BlockOrder order(4, launch);
  EXPECT_EQ(order.sms(), (Sms{2, 1, 0, 3}));
  EXPECT_EQ(order.first(3, 8), (Sms{2, 1, 0}));
  EXPECT_EQ(order.first(6, 8), (Sms{2, 1, 0, 3, 2, 1}));
  EXPECT_EQ(order.first(100, 2), (Sms{2, 1, 0, 3, 2, 1, 0, 3})) << "until all are full";
}

TEST(BlockOrder, TheFirstGroupHasItsTurnAfterSoManyOfOthers) {
  const BlockOrder order(10, groups_of_small_chip());
  EXPECT_EQ(order.first(30, 3), (Sms{8, 9, 0, 1, 4, 5, 2, 3, 6, 7,  // and two others have begun
                                     8, 9, 0, 1, 4, 5, 2, 3, 6, 7, 0, 1, 4, 5, 8, 9, 2, 3, 6, 7}));
}

TEST(BlockOrder, WhatIsNoWholeRoundIsDealtOut) {
  const BlockOrder order(10, groups_of_small_chip());
  EXPECT_EQ(order.first(5, 1), (Sms{8, 9, 0, 4, 2})) << "a TPC each, then a second one";
  EXPECT_EQ(order.first(7, 1), (Sms{8, 9, 0, 1, 4, 2, 6})) << "only then second SMs";
}

TEST(BlockOrder, OfAPartOfAChipTheOthersKeepTheirPlaces) {
  EXPECT_EQ(BlockOrder(6, groups_of_small_chip()).first(6, 1), (Sms{0, 1, 4, 5, 2, 3}));
}

TEST(BlockOrder, RefusesGroupsThatAreNotTheSms) {
  config::Launch launch = groups_of_small_chip();
  launch.group_sms = {2, 4};
  EXPECT_THROW(BlockOrder(10, launch), InputError);
  launch.sm_order[0] = 9;
  EXPECT_THROW(BlockOrder(10, launch), InputError);
}

/// The blocks that an SM of the H200 gets, of a grid that leaves room for all of its blocks.
Sms blocks_of(std::size_t sm, std::uint64_t blocks) {
  const config::GpuConfig config = config::load_config("h200");
  const Sms sms = BlockOrder(config.sm.count, config.launch).first(blocks, 8);
  Sms result;
  for (std::size_t i = 0; i < sms.size(); ++i)
    if (sms[i] == sm) result.push_back(i);
  return result;
}

TEST(BlockOrder, IsTheOneOfAnH200) {
  EXPECT_EQ(blocks_of(10, 576), (Sms{88, 220, 352, 476, 561}));
  EXPECT_EQ(blocks_of(124, 576), (Sms{0, 80, 180, 280, 528}));
  EXPECT_EQ(blocks_of(2, 576), (Sms{16, 148, 288, 412, 540}));
  EXPECT_EQ(blocks_of(122, 576), (Sms{138, 270, 402, 526}));
  EXPECT_EQ(blocks_of(65, 1024), (Sms{25, 157, 297, 429, 561, 693, 817})) << "one of seven SMs that get fewer";
  const config::GpuConfig config = config::load_config("h200");
  const BlockOrder order(config.sm.count, config.launch);
  EXPECT_EQ(order.first(9, 8).back(), 0u);
  Sms rest = order.first(48, 8);
  rest.erase(rest.begin(), rest.begin() + 8);
  rest.resize(15);
  EXPECT_EQ(rest, (Sms{0, 16, 32, 48, 2, 18, 34, 50, 64, 78, 4, 20, 36, 52, 66}));
}

TEST(BlockOrder, GivesEverySmAsManyAsItCanHold) {
  const config::GpuConfig config = config::load_config("h200");
  const BlockOrder order(config.sm.count, config.launch);
  for (const std::uint64_t blocks : {1u, 131u, 132u, 265u, 1056u, 5000u}) {
    const Sms sms = order.first(blocks, 8);
    EXPECT_EQ(sms.size(), std::min<std::uint64_t>(blocks, 1056));
    std::vector<std::uint64_t> count(config.sm.count);
    for (const std::size_t sm : sms) ++count.at(sm);
    EXPECT_LE(*std::max_element(count.begin(), count.end()), *std::min_element(count.begin(), count.end()) + 1);
  }
}

}  // namespace
}  // namespace sassim::arch::test
