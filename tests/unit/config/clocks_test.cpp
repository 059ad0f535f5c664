// SPDX-License-Identifier: Apache-2.0
// Clock profiles by name: what the chosen one sets, what wins over it, and what is said of names and values that are
// wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/dump.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kChip =
    "name: mine\nclock: {sm: 2GHz, l2: sm, dram: 1GHz}\n"
    "clocks:\n  slow: {sm: 500MHz, l2: 800MHz}  # measured: here\n  usual: {sm: 2GHz, l2: sm}\n"
    "memory: {page_walk_latency: 10ns, dram: {tCL: 10ns, latency: 10ns}}\n";

LoadedConfig with_clocks(const std::string& text, const std::string& clocks, std::vector<std::string> overrides = {}) {
  overrides.push_back("clocks=" + clocks);
  return read(text, std::move(overrides));
}

TEST(ClockProfiles, TheChosenOneSetsItsClocksAndTimesFollow) {
  const LoadedConfig slow = with_clocks(kChip, "slow");
  EXPECT_THAT(slow.problems, ElementsAre());
  EXPECT_EQ(slow.config.clock.sm, 500'000'000u);
  EXPECT_EQ(slow.config.clock.l2, 800'000'000u);
  EXPECT_EQ(slow.config.clock.dram, 1'000'000'000u);
  EXPECT_EQ(slow.config.memory.dram.latency, 8u) << "10 ns at the clock of the L2";
  EXPECT_EQ(slow.config.memory.page_walk_latency, 5u) << "10 ns at the clock of the SMs";
  EXPECT_EQ(slow.config.memory.dram.tCL, 10u) << "10 ns at the clock of the memory, which the profile does not name";
  EXPECT_EQ(slow.provenance.at("clock.sm").place, "test.yaml:4:14");
  EXPECT_EQ(slow.provenance.at("clock.sm").comment, "measured: here");
  EXPECT_EQ(shown_name(slow.config), "mine+clocks=slow");
}

TEST(ClockProfiles, WithoutAChoiceOrWithTheDefaultClocksNothingChanges) {
  EXPECT_EQ(read(kChip).config.clock.sm, 2'000'000'000u);
  EXPECT_EQ(shown_name(with_clocks(kChip, "usual").config), "mine");
}

TEST(ClockProfiles, SingleOverridesWinOverTheProfile) {
  EXPECT_EQ(with_clocks(kChip, "slow", {"clock.sm=600MHz"}).config.clock.sm, 600'000'000u);
  EXPECT_EQ(with_clocks(kChip, "slow", {"clock.sm=600MHz"}).config.clock.l2, 800'000'000u);
}

TEST(ClockProfiles, TheBandwidthFollowsTheMemoryClock) {
  const std::string chip = "clock: {dram: 1GHz}\nclocks: {half: {dram: 500MHz}}\n";
  EXPECT_EQ(2 * with_clocks(chip, "half").config.memory.bandwidth, read(chip).config.memory.bandwidth);
}

TEST(ClockProfiles, AnUnknownNameListsThoseThatTheBoardHas) {
  EXPECT_THAT(with_clocks(kChip, "ncu").problems,
              ElementsAre("--clocks ncu: mine has no clocks of this name; it has slow, usual"));
  EXPECT_THAT(with_clocks(kChip, "slwo").problems,
              ElementsAre(HasSubstr("(did you mean 'slow'?); it has slow, usual")));
  EXPECT_THAT(with_clocks("name: bare\n", "ncu").problems, ElementsAre(HasSubstr("bare has no clock profiles")));
}

TEST(ClockProfiles, ProfilesThatAreNotChosenAreChecked) {
  EXPECT_THAT(problems("clocks: {base: {sm: 585}}"), HasSubstr("test.yaml:1:21: clocks.base.sm: "));
  EXPECT_THAT(problems("clocks: {base: {gpu: 585MHz}}"), HasSubstr("unknown key 'gpu' in clock"));
  EXPECT_THAT(problems("clocks: {base: 585MHz}"), HasSubstr("clocks.base: expected sm, l2, dram"));
  EXPECT_THAT(problems("clocks: 585MHz"), HasSubstr("clocks: expected clocks by name"));
}

}  // namespace
}  // namespace sassim::config
