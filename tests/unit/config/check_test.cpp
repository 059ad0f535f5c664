// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "sim/config/dump.h"
#include "sim/config/yaml_tree.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Check, SizesMustBeWholeLinesPerWayAndTheNearestAreNamed) {
  EXPECT_EQ(
      problems("memory: {l2: {size: 6MiB, slices: 60}, dram: {channels: 30}}"),
      "test.yaml:1:21: memory.l2.size: 6MiB is not a whole number of 60 slices x 16 ways x 128-byte lines = 120KiB; "
      "nearest: 6120KiB or 6240KiB");
  EXPECT_THAT(problems("{}", {"l1.size=100000"}),
              HasSubstr("-o l1.size=100000: sm.l1.size: 100000 is not a whole number"));
}

TEST(Check, SizesNeedNotBePowersOfTwo) {
  EXPECT_EQ(problems("{}", {"l2.size=3MiB"}), "");
  EXPECT_EQ(problems("{}", {"l1.size=100KiB"}), "");
  EXPECT_EQ(problems("memory: {l2: {size: 50MiB, slices: 80}, dram: {channels: 40}}"), "");
}

TEST(Check, SlicesAndChannelsMustFitEachOther) {
  EXPECT_EQ(problems("memory: {dram: {channels: 24}, l2: {size: 6MiB, slices: 64}}"),
            "test.yaml:1:57: memory.l2.slices: lines cannot be spread evenly over memory.l2.slices = 64 and "
            "memory.dram.channels = 24; nearest for these channels: 48 or 72 slices");
  EXPECT_THAT(problems("memory: {dram: {channels: 32}}", {"dram.channels=24"}),
              HasSubstr("-o dram.channels=24: memory.dram.channels: lines cannot be spread evenly"));
  EXPECT_EQ(problems("memory: {dram: {channels: 24}, l2: {size: 4608KiB, slices: 48}}"), "");
  EXPECT_EQ(problems("memory: {dram: {channels: 128}}"), "") << "two channels for each of 64 slices";
}

TEST(Check, CarveOutsOfAFileMustFitItsL1) {
  EXPECT_THAT(problems("sm:\n  l1: {size: 64KiB}\n  occupancy: {carveouts: [0, 64KiB], shared_per_block: 48KiB}\n"),
              HasSubstr("test.yaml:3:26: sm.occupancy.carveouts: 64KiB leaves no L1 in sm.l1.size = 64KiB"));
  EXPECT_THAT(problems("sm: {occupancy: {carveouts: [8KiB, 8KiB], shared_per_block: 8KiB}}"),
              HasSubstr("each size must be larger than the one before it"));
}

TEST(Check, AtomicsHoldByLanesOnAWord) {
  EXPECT_EQ(problems("sm: {shared: {atomic_hold: [6, 6, 11, 18, 24, 66]}}"), "");
  for (const std::string hold : {"[1, 2, 3]", "[6, 7, 11, 18, 17, 66]"})
    EXPECT_THAT(problems("sm: {shared: {atomic_hold: " + hold + "}}"),
                HasSubstr("sm.shared.atomic_hold: expected six numbers of cycles, none below the one before it"));
}

TEST(Check, CarveOutsFollowAnOverriddenL1) {
  const std::string file =
      "sm: {occupancy: {carveouts: [0, 32KiB, 64KiB, 96KiB], shared_per_block: 96KiB}, l1: {size: 128KiB}}";
  const auto loaded = read(file, {"l1.size=64KiB"});
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.config.sm.occupancy.carveouts, (std::vector<std::uint64_t>{0, 32768}));
  EXPECT_EQ(loaded.config.sm.occupancy.shared_per_block, 32768u);
  EXPECT_EQ(loaded.notes.size(), 2u);
  EXPECT_THAT(problems(file, {"l1.size=64KiB", "carveouts=0,64KiB"}), HasSubstr("64KiB leaves no L1"));
}

TEST(Check, ALineOfEverySetMustBeLeftBesideWhatAChaseCannotUse) {
  const std::string file =
      "sm: {occupancy: {carveouts: [0, 64KiB], shared_per_block: 64KiB}, l1: {size: 128KiB, detected_loss: 7KiB}}";
  const auto loaded = read(file, {"l1.size=71KiB"});
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.config.sm.occupancy.carveouts, (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(read(file, {"l1.size=72KiB"}).config.sm.occupancy.carveouts.size(), 2u);
}

TEST(Check, LimitsOfAnSmMustAgree) {
  EXPECT_THAT(problems("sm: {occupancy: {warps: 30, threads: 960}}"), HasSubstr("30 warps do not divide among 4"));
  EXPECT_THAT(problems("sm: {occupancy: {warps: 32}}"), HasSubstr("2048 threads are more than 32 warps hold"));
}

TEST(Check, LinesInPairsOfBankGroupsNeedAnEvenNumber) {
  EXPECT_THAT(problems("memory: {dram: {map: row_column_bank_line, bank_groups: 3}}"),
              HasSubstr("memory.dram.bank_groups: 3 is odd, and memory.dram.map = row_column_bank_line needs pairs"));
}

TEST(Check, TheSimulatorsOwnMemoryIsBounded) {
  EXPECT_THAT(problems("{}", {"l2.size=768MiB"}), IsEmpty());
  EXPECT_THAT(problems("{}", {"l2.size=12GiB"}), HasSubstr("-o l2.size=12GiB: memory.l2.size: 12GiB for each of 1"));
  EXPECT_THAT(problems("{}", {"front_end.l0.size=192MiB"}), HasSubstr("(sm.count x sm.processing_blocks) makes"));
  EXPECT_THAT(problems("{}", {"sm.tlb.entries=1048576"}), HasSubstr("sm.tlb.entries: 1048576 for each of 80"));
}

TEST(Check, MasksOfTagsAreFew) {
  EXPECT_THAT(problems("sm: {l1: {sweep_masks: [1, 2, 4, 8, 16, 32, 64, 0x80]}}"), IsEmpty());
  EXPECT_THAT(problems("sm: {l1: {sweep_masks: [1, 2, 4, 8, 16, 32, 64, 0x80, 0x100]}}"),
              HasSubstr("sm.l1.sweep_masks: 9 masks; expected at most 8"));
}

TEST(Check, CodeIsAligned) {
  EXPECT_THAT(problems("launch: {code_start: 65664}"), IsEmpty());
  EXPECT_THAT(problems("launch: {code_start: 65600}"), HasSubstr("launch.code_start: 65600 is not a multiple of 128"));
}

TEST(Check, OnlySomePipesCanBeShared) {
  EXPECT_THAT(problems("sm: {pipes: {fp64: {shared_by_sm: true}}}"), IsEmpty());
  EXPECT_THAT(problems("sm: {pipes: {alu: {shared_by_sm: true}}}"), HasSubstr("sm.pipes.alu.shared_by_sm: each"));
}

}  // namespace
}  // namespace sassim::config

// Damaged configurations: every one is either valid or refused with a place, and nothing else happens.
namespace sassim::config {
namespace {

#ifdef SASSIM_FUZZ_LONG
constexpr int kRounds = 200'000;
#else
constexpr int kRounds = 150;
#endif

const LoadOptions kPartial{{}, {}, true};

std::string original() {
  std::ifstream stream(SASSIM_SOURCE_DIR "/configs/generations/hopper.yaml");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto base = text.find("base: ");
  return text.erase(base, text.find('\n', base) - base);
}

/// Accepts or refuses; a refusal names the file, an accepted configuration can be written and read again.
void feed(const std::string& text) {
  const auto loaded = read_config_text(text, "fuzz.yaml", kPartial);
  for (const std::string& problem : loaded.problems) {
    ASSERT_TRUE(problem.starts_with("fuzz.yaml:") || problem.starts_with("default: ")) << problem;
    ASSERT_EQ(problem.find('\n'), std::string::npos) << problem;
  }
  if (!loaded.problems.empty()) return;
  const auto again = read_config_text(dump_yaml(loaded.config), "again.yaml", kPartial);
  ASSERT_TRUE(again.problems.empty()) << again.problems.front();
  ASSERT_EQ(config_hash(again.config), config_hash(loaded.config));
}

TEST(Fuzz, TruncationAtEveryLine) {
  const std::string text = original();
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1)) {
    feed(text.substr(0, end));
    if (HasFatalFailure()) return;
  }
}

TEST(Fuzz, FlippedInsertedAndMovedBytes) {
  const std::string text = original();
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::string interesting = "{}[],:#&*!|>'\"%@`-? \n\t0\\~";
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = text;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(damaged.size());
      switch (below(5)) {
        case 0:
          damaged[at] = static_cast<char>(below(256));
          break;
        case 1:
          damaged[at] = interesting[below(interesting.size())];
          break;
        case 2:
          damaged.insert(at, 1, interesting[below(interesting.size())]);
          break;
        case 3:
          damaged.erase(at, 1 + below(20));
          break;
        default:
          damaged.insert(at, damaged.substr(below(damaged.size()), below(60)));
          break;
      }
    }
    feed(damaged);
    if (HasFatalFailure()) FAIL() << "round " << round << "\n" << damaged;
  }
}

TEST(Fuzz, DeepNestingIsRefusedQuickly) {
  for (const char* unit : {"[", "{", "- ", "? ", "a: {", "{a: ", "[a, "}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += unit;
    feed(text);
  }
}

}  // namespace
}  // namespace sassim::config
