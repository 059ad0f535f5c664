// SPDX-License-Identifier: Apache-2.0
// Generations, kinds of memory, samples and hosts: what wins over what, and what is said when they do not fit.
#include "sim/config/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "sim/config/dump.h"
#include "sim/config/loader.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

using ::testing::HasSubstr;

/// A folder of $SASSIM_CONFIGS with layers of its own beside the shipped ones.
class Layered : public ::testing::Test {
 protected:
  Layered() : folder_(std::filesystem::path(::testing::TempDir()) / ("sassim_layers_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    for (const char* below : {"chips", "generations", "samples", "hosts", "dram"})
      std::filesystem::create_directories(folder_ / below);
    setenv("SASSIM_CONFIGS", folder_.c_str(), 1);
  }
  ~Layered() override {
    unsetenv("SASSIM_CONFIGS");
    std::filesystem::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  static std::string first_problem(const std::string& name, std::vector<std::string> overrides = {}) {
    const auto loaded = read_config(name, {std::move(overrides), {}, false});
    return loaded.problems.empty() ? "" : loaded.problems.front();
  }

 private:
  std::filesystem::path folder_;
};

const char* const kChip =
    "generation: volta\ndram: hbm2\nclock: {sm: 1GHz}\nsm: {count: 4}\n"
    "memory: {size: 1GiB, bandwidth: 100GB/s, l2: {size: 512KiB, slices: 4}, dram: {channels: 4}}\n";

TEST_F(Layered, ASmallFileIsAChip) {
  write("chips/mine.yaml", kChip);
  EXPECT_EQ(first_problem("mine"), "");
  const GpuConfig config = load_config("mine");
  EXPECT_EQ(config.arch, 70);
  EXPECT_EQ(config.sm.occupancy.warps, 64u);
  EXPECT_EQ(config.memory.dram.type, "hbm2");
}

TEST_F(Layered, StrongerLayersWinAndTheChipOverAll) {
  write("generations/test.yaml", "sm: {l1: {sets: 1}, shared: {banks: 1}, occupancy: {blocks: 1, warps: 8}}\n");
  write("hosts/test.yaml", "sm: {shared: {banks: 2}, occupancy: {blocks: 2, warps: 12}}\n");
  write("samples/test.yaml", "made_for_sms: 80\nsm: {occupancy: {blocks: 3, warps: 16}}\n");
  write("chips/mine.yaml",
        "sample: test\nhost: test\ngeneration: test\nsm: {count: 80, occupancy: {warps: 20, threads: 32}}\n");
  const auto loaded = read_config("mine", {{}, {}, true});
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems.front();
  EXPECT_EQ(loaded.config.sm.l1.sets, 1u);
  EXPECT_EQ(loaded.config.sm.shared.banks, 2u);
  EXPECT_EQ(loaded.config.sm.occupancy.blocks, 3u);
  EXPECT_EQ(loaded.config.sm.occupancy.warps, 20u);
}

TEST_F(Layered, ADerivedChipMayNameAnotherLayer) {
  write("hosts/slow.yaml", "launch: {overhead_cycles: 10us}\n");
  write("chips/mine.yaml", "base: h200\nhost: slow\n");
  EXPECT_EQ(load_config("mine").launch.overhead_cycles, 19800u);
  EXPECT_EQ(load_config("mine").environment.upload, 0u) << "the host of the base is not there any more";
}

TEST_F(Layered, AGenerationMayStartFromAnother) {
  write("generations/mine.yaml", "base: volta\narch: sm_72\nsm: {occupancy: {blocks: 16}}\n");
  write("chips/mine.yaml", std::string(kChip).replace(0, 17, "generation: mine"));
  EXPECT_EQ(first_problem("mine"), "");
  EXPECT_EQ(load_config("mine").arch, 72);
  EXPECT_EQ(load_config("mine").sm.occupancy.blocks, 16u);
  EXPECT_EQ(load_config("mine").sm.occupancy.warps, 64u);
  write("generations/mine.yaml", "base: t4\n");
  EXPECT_THAT(first_problem("mine"), HasSubstr("mine.yaml:1:7: base: there is no file"));
  EXPECT_THAT(first_problem("mine"),
              HasSubstr("known: ada, ampere, ampere-sm80, ampere-sm86, common, hopper, kepler, "
                        "kepler-sm37, maxwell, mine, pascal, pascal-sm60, turing, volta (generation of "));
}

TEST_F(Layered, UnknownNamesListTheKnownOnes) {
  write("chips/mine.yaml", "generation: voltta\n");
  EXPECT_THAT(first_problem("mine"),
              HasSubstr("mine.yaml:1:13: generation: unknown name 'voltta' (did you mean 'volta'?)"));
  EXPECT_THAT(
      first_problem("mine"),
      HasSubstr("ampere, ampere-sm80, ampere-sm86, common, hopper, kepler, kepler-sm37, maxwell, pascal, pascal-sm60, "
                "turing, volta"));
  write("chips/list.yaml", "generation: [volta]\n");
  EXPECT_THAT(first_problem("list"), HasSubstr("generation: expected the name of an architecture"));
}

TEST_F(Layered, AChipWithoutAGenerationIsRefused) {
  write("chips/mine.yaml", "sm: {count: 4}\n");
  EXPECT_THAT(first_problem("mine"), HasSubstr("mine.yaml:1:1: this chip has no generation, and does not set arch, "));
  EXPECT_THAT(first_problem("mine"),
              HasSubstr("write 'generation: NAME' (known: ada, ampere, ampere-sm80, ampere-sm86, common, hopper"));
  write("chips/bare.yaml", "generation: volta\ndram: hbm2\nclock: {sm: 1GHz, dram: 877MHz}\n");
  EXPECT_THAT(first_problem("bare"), HasSubstr("neither this file nor its layers set sm.count, memory.size, "));
}

TEST_F(Layered, AGenerationOfSeveralArchitecturesIsNotEnough) {
  write("chips/mine.yaml", std::string(kChip).replace(0, 17, "generation: ampere"));
  EXPECT_THAT(first_problem("mine"), HasSubstr("mine.yaml:1:1: 'generation: ampere' is what several architectures "
                                               "share, and sets no arch; name the file of one of them"));
  EXPECT_THAT(first_problem("mine"), HasSubstr("(known: ada, ampere, ampere-sm80, ampere-sm86, "));
  write("chips/mine.yaml", std::string(kChip).replace(0, 17, "generation: ampere-sm86"));
  EXPECT_EQ(first_problem("mine"), "");
  EXPECT_EQ(load_config("mine").arch, 86);
}

TEST_F(Layered, ASampleIsForItsNumberOfSms) {
  write("chips/mine.yaml", "base: h200\nsm: {count: 66}\n");
  EXPECT_THAT(first_problem("mine"),
              HasSubstr("mine.yaml:2:13: sm.count: 66, but the floor plan 'sample: h200' is for 132 SMs"));
  EXPECT_THAT(first_problem("mine"), HasSubstr("or 'sample: none'"));
  write("chips/mine.yaml", "base: h200\nsample: none\nsm: {count: 66}\n");
  EXPECT_EQ(first_problem("mine"), "");
  EXPECT_TRUE(load_config("mine").launch.sm_order.empty());
  EXPECT_EQ(first_problem("h200", {"sm.count=2"}), "") << "for experiments";
  write("chips/other.yaml", std::string(kChip) + "sample: h200\n");
  EXPECT_THAT(first_problem("other"), HasSubstr("the floor plan 'sample: h200' is for 132 SMs"))
      << "before the mechanisms that the floor plan is for";
  write("samples/odd.yaml", "launch: {sm_interval: 1}\n");
  write("chips/odd.yaml", "base: t4\nsample: odd\n");
  EXPECT_THAT(first_problem("odd"), HasSubstr("a sample must say for how many SMs it was made"));
}

TEST_F(Layered, KeysOfLayersAreRefusedWhereTheyDoNothing) {
  write("generations/mine.yaml", "base: volta\nhost: h200-server\n");
  write("chips/mine.yaml", std::string(kChip).replace(0, 17, "generation: mine"));
  EXPECT_THAT(first_problem("mine"), HasSubstr("mine.yaml:2:1: host: only a chip can name layers"));
  write("chips/mine.yaml", "base: t4\nmade_for_sms: 40\n");
  EXPECT_THAT(first_problem("mine"), HasSubstr("mine.yaml:2:1: made_for_sms: belongs into a sample"));
}

TEST_F(Layered, WhatIsWrittenOutIsWhole) {
  const auto loaded = read_config_text(dump_yaml(load_config("h200")), "again.yaml");
  EXPECT_TRUE(loaded.problems.empty()) << loaded.problems.front();
}

}  // namespace
}  // namespace sassim::config

// `base:` and what can be wrong with it.
namespace sassim::config {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class Base : public ::testing::Test {
 protected:
  Base() : folder_(std::filesystem::path(::testing::TempDir()) / ("sassim_base_test_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "below");
  }
  ~Base() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  LoadedConfig load(const std::string& name) {
    return read_config((folder_ / name).string(), LoadOptions{{}, {}, true});
  }
  std::string first_problem(const std::string& name) {
    const auto loaded = load(name);
    return loaded.problems.empty() ? "" : loaded.problems.front();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Base, IsRelativeToTheFileAndTheFileWins) {
  write("below/root.yaml", "description: root\nsm: {count: 1, l1: {sets: 8}}\nmemory: {l2: {ways: 8}}\n");
  write("below/middle.yaml", "base: root.yaml\nsm: {count: 2}\n");
  write("leaf.yaml", "base: below/middle.yaml\nmemory: {l2: {ways: 4}}\n");
  const auto loaded = load("leaf.yaml");
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.config.sm.count, 2u);
  EXPECT_EQ(loaded.config.sm.l1.sets, 8u);
  EXPECT_EQ(loaded.config.memory.l2.ways, 4u);
  EXPECT_EQ(loaded.config.name, "leaf");
  EXPECT_EQ(loaded.config.description, "") << "a base's description is not the derived GPU's";
  EXPECT_THAT(loaded.chain, ElementsAre(EndsWith("leaf.yaml"), EndsWith("middle.yaml"), EndsWith("root.yaml")));
  EXPECT_LT(loaded.provenance.at("sm.l1.sets").level, loaded.provenance.at("sm.count").level);
}

TEST_F(Base, ErrorsInItNameTheWayThere) {
  write("root.yaml", "sm: {count: 0}\n");
  write("leaf.yaml", "base: root.yaml\n");
  EXPECT_THAT(first_problem("leaf.yaml"), HasSubstr("root.yaml:1:13: sm.count: 0 is out of range"));
  EXPECT_THAT(first_problem("leaf.yaml"), EndsWith("leaf.yaml:1:7)"));
}

TEST_F(Base, ACycleIsPrinted) {
  write("a.yaml", "base: b.yaml\n");
  write("b.yaml", "base: below/../a.yaml\n");
  EXPECT_THAT(first_problem("a.yaml"), HasSubstr("a.yaml' is its own base: "));
  EXPECT_THAT(first_problem("a.yaml"), HasSubstr(" -> "));
  write("self.yaml", "base: self.yaml\n");
  EXPECT_THAT(first_problem("self.yaml"), HasSubstr("is its own base"));
}

TEST_F(Base, MustBeAFile) {
  write("a.yaml", "base: nowhere.yaml\n");
  EXPECT_THAT(first_problem("a.yaml"), HasSubstr("a.yaml:1:7: base: there is no file '"));
  EXPECT_THAT(first_problem("a.yaml"),
              HasSubstr("known: 8800gtx, a10, a100, a100-80, a100-pcie, a40, ampere-test, gtx1070-max-q, "
                        "gtx1080, gtx1650, gtx280, gtx480, gtx680, gtx980, gv100, h200"));
  write("b.yaml", "base: below\n");
  EXPECT_THAT(first_problem("b.yaml"), HasSubstr("there is no file"));
  write("c.yaml", "base: [a.yaml]\n");
  EXPECT_THAT(first_problem("c.yaml"), HasSubstr("base: expected the path"));
  write("d.yaml", "base: /dev/zero\n");
  EXPECT_THAT(first_problem("d.yaml"), HasSubstr("there is no file"));
}

TEST_F(Base, MayBeAName) {
  write("mine.yaml", "base: t4\nsm: {count: 2}\n");
  const auto loaded = load("mine.yaml");
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.config.sm.count, 2u);
  EXPECT_EQ(loaded.config.arch, 75);
}

TEST_F(Base, LongChainsEnd) {
  for (int i = 0; i < 40; ++i) write("c" + std::to_string(i) + ".yaml", "base: c" + std::to_string(i + 1) + ".yaml\n");
  EXPECT_THAT(first_problem("c0.yaml"), HasSubstr("more than 16 files"));
}

TEST_F(Base, AHugeFileIsRefused) {
  write("huge.yaml", "# " + std::string(2u << 20, 'x') + "\n");
  EXPECT_THAT([&] { load("huge.yaml"); }, ::testing::Throws<InputError>());
}

}  // namespace
}  // namespace sassim::config
