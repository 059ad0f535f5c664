// SPDX-License-Identifier: Apache-2.0
// Values that follow from others: times in nanoseconds, the clock of the L2, bandwidth and memory clock; and the name
// of a GPU that -o has changed.
#include "sim/config/settle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/dump.h"
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

}  // namespace
}  // namespace sassim::config
