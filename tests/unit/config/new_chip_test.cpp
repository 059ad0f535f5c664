// SPDX-License-Identifier: Apache-2.0
// The file of a new chip, from what tools print about it.
#include "sim/config/new_chip.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kDeviceQuery = R"(Device 0: "NVIDIA GeForce RTX 3080"
  CUDA Capability Major/Minor version number:    8.6
  Total amount of global memory:                 10018 MBytes (10504503296 bytes)
  (068) Multiprocessors, (128) CUDA Cores/MP:    8704 CUDA Cores
  GPU Max Clock rate:                            1710 MHz (1.71 GHz)
  Memory Clock rate:                             9501 Mhz
  Memory Bus Width:                              320-bit
  L2 Cache Size:                                 5242880 bytes
)";

constexpr const char* kDriver = R"(
    Product Name                          : NVIDIA A10
    FB Memory Usage
        Total                             : 23028 MiB
    Max Clocks
        Graphics                          : 1695 MHz
        SM                                : 1695 MHz
        Memory                            : 6251 MHz
)";

TEST(NewChip, FromDeviceQueryIsThatOfTheBoard) {
  const NewChip chip = new_chip("mine", facts_in_output(kDeviceQuery, "query.txt"), {});
  EXPECT_EQ(chip.like, "rtx3080");
  const auto loaded = read_config_text(chip.text, "mine.yaml");
  EXPECT_THAT(loaded.problems, ElementsAre());
  const GpuConfig& mine = loaded.config;
  const GpuConfig board = load_config("rtx3080");
  EXPECT_EQ(mine.arch, 86);
  EXPECT_EQ(mine.sm.count, board.sm.count);
  EXPECT_EQ(mine.clock.sm, board.clock.sm);
  EXPECT_EQ(mine.memory.l2.size, board.memory.l2.size);
  EXPECT_EQ(mine.memory.l2.slices, board.memory.l2.slices);
  EXPECT_EQ(mine.memory.dram.channels, board.memory.dram.channels);
  EXPECT_NEAR(static_cast<double>(mine.memory.bandwidth), 760e9, 1e9);
  EXPECT_EQ(loaded.provenance.at("sm.count").comment, "documented: deviceQuery: Multiprocessors");
  EXPECT_THAT(loaded.provenance.at("memory.l2.slices").comment, HasSubstr("carried over: "));
}

TEST(NewChip, OfEveryArchitectureIsComplete) {
  for (const char* gpu : {"v100", "t4", "a100", "rtx4090", "h200"}) {
    const GpuConfig board = load_config(gpu);
    ChipFacts facts = facts_in_output(kDeviceQuery, "query.txt");
    facts["arch"].value = fmt::format("sm_{}", board.arch);
    facts["bus"].value = "1024";
    const NewChip chip = new_chip("mine", facts, {});
    EXPECT_THAT(read_config_text(chip.text, "mine.yaml").problems, ElementsAre()) << gpu << "\n" << chip.text;
  }
}

TEST(NewChip, ADriverAloneDoesNotSayEnough) {
  const ChipFacts facts = facts_in_output(kDriver, "smi.txt");
  EXPECT_EQ(facts.at("clock.sm").value, "1695MHz");
  EXPECT_EQ(facts.at("memory.size").value, "23028MiB");
  std::vector<std::string> options;
  for (const NeededFact& needed : missing_facts(facts)) options.emplace_back(needed.option);
  EXPECT_THAT(options, ElementsAre("--arch", "--sms", "--bandwidth", "--bus", "--l2"));
  EXPECT_THROW(facts_in_output("hello", "hello.txt"), InputError);
}

TEST(NewChip, TakesMeasuredKeysAndRefusesWhatFitsNothing) {
  ChipFacts facts = facts_in_output(kDeviceQuery, "query.txt");
  const NewChip chip = new_chip("mine", facts, {{"sm.l1.hit_latency", {"40", "measured: here"}}});
  EXPECT_EQ(read_config_text(chip.text, "mine.yaml").config.sm.l1.hit_latency, 40u);
  facts["bus"].value = "300";
  EXPECT_THROW(new_chip("mine", facts, {}), InputError) << "no whole number of channels";
  facts["bus"].value = "320";
  facts["arch"].value = "sm_30";
  EXPECT_THROW(new_chip("mine", facts, {}), NotSupported);
  facts["arch"].value = "sm_87";
  EXPECT_THROW(new_chip("mine", facts, {}), InputError) << "no chip to carry values over from";
}

}  // namespace
}  // namespace sassim::config
