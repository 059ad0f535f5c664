// SPDX-License-Identifier: Apache-2.0
// Values that follow from others: times in nanoseconds, the clock of the L2, bandwidth and memory clock; and the name
// of a GPU that -o has changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/config/dump.h"
#include "sim/config/settle.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

using ::testing::HasSubstr;

TEST(Settle, TimesBecomeCyclesOfTheirClockRoundedUp) {
  const std::string file = "clock: {dram: 1GHz}\nmemory: {dram: {tCL: 14.1ns, tRP: 14ns, tRAS: 34, tRC: 50}}\n";
  EXPECT_EQ(read(file).config.memory.dram.tCL, 15u);
  EXPECT_EQ(read(file).config.memory.dram.tRP, 14u) << "exactly 14 cycles";
  EXPECT_EQ(read(file, {"clock.dram=2GHz"}).config.memory.dram.tCL, 29u);
  EXPECT_EQ(read(file, {"clock.dram=2GHz"}).config.memory.dram.tRAS, 34u) << "cycles stay cycles";
  EXPECT_EQ(read(file, {"dram.tCL=9"}).config.memory.dram.tCL, 9u);
  EXPECT_EQ(read(file, {"dram.tCL=20ns"}).config.memory.dram.tCL, 20u);
}

TEST(Settle, ASumHasCyclesAndTime) {
  const std::string file = "clock: {l2: 1380MHz}\nmemory: {dram: {latency: 83+57ns}}\n";
  EXPECT_EQ(read(file).config.memory.dram.latency, 83u + 79u);
  EXPECT_EQ(read(file, {"clock.l2=1530MHz"}).config.memory.dram.latency, 83u + 88u);
  EXPECT_THAT(problems("memory: {dram: {latency: 8.5+57ns}}"),
              HasSubstr("test.yaml:1:26: memory.dram.latency: '8.5+57ns' is not a time"));
  EXPECT_THAT(problems("memory: {dram: {tCL: ns}}"), HasSubstr("'ns' is not a time"));
  EXPECT_THAT(problems("memory: {dram: {tCL: 1000us}}"), HasSubstr("tCL: 877000 is out of range"));
}

TEST(Settle, TheL2MayRunAtTheClockOfTheSms) {
  const std::string file = "clock: {sm: 1.5GHz, l2: sm}";
  EXPECT_EQ(read(file).config.clock.l2, 1'500'000'000u);
  EXPECT_EQ(read(file, {"clock.sm=1.2GHz"}).config.clock.l2, 1'200'000'000u);
  EXPECT_EQ(read(file, {"clock.l2=1GHz"}).config.clock.l2, 1'000'000'000u);
  EXPECT_THAT(problems("clock: {dram: sm}"), HasSubstr("'sm' is not a clock"));
}

const std::string kDram =
    "memory: {dram: {channels: 16, pseudo_channels: 1, bus_bits: 16, beats_per_clock: 8}, "
    "l2: {slices: 32}";  // 256 bits

TEST(Settle, TheMemoryClockFollowsFromTheBandwidth) {
  const auto loaded = read(kDram + ", bandwidth: 320GB/s}");
  EXPECT_EQ(loaded.config.clock.dram, 1'250'000'000u);
  EXPECT_EQ(loaded.provenance.at("clock.dram").written, "from memory.bandwidth");
  EXPECT_EQ(read(kDram + ", bandwidth: 320GB/s}", {"memory.bandwidth=448GB/s"}).config.clock.dram, 1'750'000'000u);
}

TEST(Settle, TheBandwidthFollowsFromWhatIsChangedLater) {
  const std::string file = kDram + ", bandwidth: 320GB/s}";
  EXPECT_EQ(read(file, {"dram.channels=32"}).config.memory.bandwidth, 640'000'000'000u);
  EXPECT_EQ(read(file, {"dram.channels=32"}).config.clock.dram, 1'250'000'000u);
  EXPECT_EQ(read(file, {"clock.dram=1GHz"}).config.memory.bandwidth, 256'000'000'000u);
}

TEST(Settle, ABandwidthThatChannelsAndClockCannotMakeIsRefused) {
  EXPECT_EQ(problems("clock: {dram: 1250MHz}\n" + kDram + ", bandwidth: 448GB/s}"),
            "test.yaml:2:115: memory.bandwidth: 448GB/s, but 16 channels x 1 pseudo channels x 16 bits x 8 beats per "
            "clock (memory.dram.channels, pseudo_channels, bus_bits, beats_per_clock) at clock.dram = 1250MHz give "
            "320GB/s; write this value, or leave out clock.dram, which then follows");
  EXPECT_EQ(problems("clock: {dram: 1250MHz}\n" + kDram + ", bandwidth: 322GB/s}"), "") << "data sheets round";
  EXPECT_THAT(problems(kDram + ", bandwidth: 1MB/s}"), HasSubstr("cannot be reached by 16 channels"));
  EXPECT_THAT(problems("memory: {bandwidth: 320}"), HasSubstr("'320' has no unit; write a bandwidth in MB/s, GB/s"));
}

TEST(Settle, AnOverriddenGpuIsNotCalledWhatItWas) {
  const auto name = [](std::vector<std::string> overrides) {
    return shown_name(read("name: v100\nsm: {count: 80}", std::move(overrides)).config);
  };
  EXPECT_EQ(name({}), "v100");
  EXPECT_EQ(name({"clock.sm=1132MHz"}), "v100+clock.sm=1132MHz");
  EXPECT_EQ(name({"sm.count=7", "l2.ways=8"}), "v100+sm.count=7+l2.ways=8");
  EXPECT_EQ(name({"sm.count=80"}), "v100") << "nothing has changed";
  EXPECT_EQ(name({"name=mine"}), "mine");
  EXPECT_EQ(name({"l1.set_hash=mix", "sm.count=3", "l2.ways=8", "l2.size=3MiB", "clock.sm=1132MHz"}), "v100+5 changes");
}

// Clock profiles by name: what the chosen one sets, what wins over it, and what is said of names and values that are
// wrong.

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kClockedChip =
    "name: mine\nclock: {sm: 2GHz, l2: sm, dram: 1GHz}\n"
    "clocks:\n  slow: {sm: 500MHz, l2: 800MHz}  # measured: here\n  usual: {sm: 2GHz, l2: sm}\n"
    "memory: {page_walk_latency: 10ns, dram: {tCL: 10ns, latency: 10ns}}\n";

LoadedConfig with_clocks(const std::string& text, const std::string& clocks, std::vector<std::string> overrides = {}) {
  overrides.push_back("clocks=" + clocks);
  return read(text, std::move(overrides));
}

TEST(ClockProfiles, TheChosenOneSetsItsClocksAndTimesFollow) {
  const LoadedConfig slow = with_clocks(kClockedChip, "slow");
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
  EXPECT_EQ(read(kClockedChip).config.clock.sm, 2'000'000'000u);
  EXPECT_EQ(shown_name(with_clocks(kClockedChip, "usual").config), "mine");
}

TEST(ClockProfiles, SingleOverridesWinOverTheProfile) {
  EXPECT_EQ(with_clocks(kClockedChip, "slow", {"clock.sm=600MHz"}).config.clock.sm, 600'000'000u);
  EXPECT_EQ(with_clocks(kClockedChip, "slow", {"clock.sm=600MHz"}).config.clock.l2, 800'000'000u);
}

TEST(ClockProfiles, TheBandwidthFollowsTheMemoryClock) {
  const std::string chip = "clock: {dram: 1GHz}\nclocks: {half: {dram: 500MHz}}\n";
  EXPECT_EQ(2 * with_clocks(chip, "half").config.memory.bandwidth, read(chip).config.memory.bandwidth);
}

TEST(ClockProfiles, AnUnknownNameListsThoseThatTheBoardHas) {
  EXPECT_THAT(with_clocks(kClockedChip, "ncu").problems,
              ElementsAre("--clocks ncu: mine has no clocks of this name; it has slow, usual"));
  EXPECT_THAT(with_clocks(kClockedChip, "slwo").problems,
              ElementsAre(HasSubstr("(did you mean 'slow'?); it has slow, usual")));
  EXPECT_THAT(with_clocks("name: bare\n", "ncu").problems, ElementsAre(HasSubstr("bare has no clock profiles")));
}

TEST(ClockProfiles, ProfilesThatAreNotChosenAreChecked) {
  EXPECT_THAT(problems("clocks: {base: {sm: 585}}"), HasSubstr("test.yaml:1:21: clocks.base.sm: "));
  EXPECT_THAT(problems("clocks: {base: {gpu: 585MHz}}"), HasSubstr("unknown key 'gpu' in clock"));
  EXPECT_THAT(problems("clocks: {base: 585MHz}"), HasSubstr("clocks.base: expected sm, l2, dram"));
  EXPECT_THAT(problems("clocks: 585MHz"), HasSubstr("clocks: expected clocks by name"));
}

const char* const kText =
    "description: \"a \\\"quoted\\\" one: # not a comment\"\nsm: {count: 7, l1: {size: 100KiB}, tlb: {page: 64KiB}}\n"
    "memory: {l2: {atomic_lane_latency: 0.1}}\n";

TEST(Dump, IsAValidConfigurationWithTheSameValues) {
  const GpuConfig config = read(kText).config;
  const auto again = read(dump_yaml(config));
  EXPECT_TRUE(again.problems.empty()) << again.problems.front();
  EXPECT_TRUE(differences(config, again.config).empty());
  EXPECT_EQ(config_hash(config), config_hash(again.config));
  EXPECT_EQ(again.config.description, "a \"quoted\" one: # not a comment");
}

TEST(Dump, CommentsDoNotChangeIt) {
  const GpuConfig config = read(kText).config;
  const auto again = read(dump_yaml(config, [](const std::string& path) { return "about " + path; }));
  EXPECT_TRUE(again.problems.empty()) << again.problems.front();
  EXPECT_EQ(config_hash(config), config_hash(again.config));
}

TEST(Dump, HashSeesEveryValueButTheName) {
  GpuConfig a = read(kText).config, b = a;
  b.name = "other";
  EXPECT_EQ(config_hash(a), config_hash(b));
  b.memory.dram.tCWL += 1;
  EXPECT_NE(config_hash(a), config_hash(b));
  EXPECT_EQ(config_hash(a).size(), 16u);
}

TEST(Dump, JsonIsNestedAndHasPlainNumbers) {
  const auto json = to_json(read(kText).config);
  EXPECT_EQ(json["sm"]["l1"]["size"], 102400);
  EXPECT_EQ(json["sm"]["pipes"]["ops"]["fp32"]["latency"], 4);
  EXPECT_EQ(json["sm"]["register_file"]["reuse_cache"], true);
  EXPECT_TRUE(json["sm"]["occupancy"]["carveouts"].is_array());
}

TEST(Dump, DifferencesNameTheKey) {
  const auto found = differences(read(kText).config, read(kText, {"l2.ways=8"}).config);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, "memory.l2.ways");
  EXPECT_EQ(found[0].left, "16");
  EXPECT_EQ(found[0].right, "8");
}

}  // namespace
}  // namespace sassim::config
