// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/config/field.h"
#include "sim/config/gpu_config.h"
#include "sim/config/key_path.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

using ::testing::HasSubstr;

std::string resolved(const char* key) {
  GpuConfig config;
  try {
    return resolve_key(FieldList(config), key);
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(KeyPath, AFullPathMeansItself) { EXPECT_EQ(resolved("sm.front_end.l1.size"), "sm.front_end.l1.size"); }

TEST(KeyPath, AnEndingIsEnough) {
  EXPECT_EQ(resolved("l2.size"), "memory.l2.size");
  EXPECT_EQ(resolved("ops.fp64.latency"), "sm.pipes.ops.fp64.latency");
  EXPECT_EQ(resolved("slices"), "memory.l2.slices");
  EXPECT_EQ(resolved("l0.size"), "sm.front_end.l0.size");
}

TEST(KeyPath, TheShortestOfSeveralWins) { EXPECT_EQ(resolved("l1.size"), "sm.l1.size"); }

TEST(KeyPath, OneWordMustBeUnique) {
  EXPECT_THAT(resolved("size"), HasSubstr("'size' matches "));
  EXPECT_THAT(resolved("size"), HasSubstr("memory.size, "));
  EXPECT_THAT(resolved("size"), HasSubstr("write more of the path"));
}

TEST(KeyPath, EndingsAreWholeWords) { EXPECT_THAT(resolved("1.size"), HasSubstr("unknown key '1.size'")); }

TEST(KeyPath, GroupsAreNamedAsSuch) {
  EXPECT_THAT(resolved("crossbar"),
              HasSubstr("'crossbar' is a group of keys (memory.crossbar); name one of: request_latency"));
}

TEST(KeyPath, MisspeltKeysGetAdvice) { EXPECT_THAT(resolved("l1.sise"), HasSubstr("(did you mean 'l1.size'?)")); }

TEST(Override, WinsOverTheFileAndTheLastWins) {
  const auto loaded = read("memory: {l2: {ways: 8}}", {"l2.ways=4", "l2.ways=2"});
  EXPECT_EQ(loaded.problems.size(), 0u);
  EXPECT_EQ(loaded.config.memory.l2.ways, 2u);
}

TEST(Override, ListsAreCommaSeparated) {
  EXPECT_EQ(read("{}", {"carveouts=8KiB,64KiB", "shared_per_block=64KiB"}).config.sm.occupancy.carveouts,
            (std::vector<std::uint64_t>{8192, 65536}));
  EXPECT_EQ(read("{}", {"carveouts=[8KiB, 96KiB]"}).config.sm.occupancy.carveouts,
            (std::vector<std::uint64_t>{8192, 98304}));
}

TEST(Override, ErrorsNameTheArgument) {
  EXPECT_THAT(problems("{}", {"l1.size=64KB"}), HasSubstr("-o l1.size=64KB: sm.l1.size: '64KB' could mean"));
  EXPECT_THAT(problems("{}", {"l1.sise=64KiB"}), HasSubstr("-o l1.sise=64KiB: unknown key 'l1.sise'"));
  EXPECT_THAT(problems("{}", {"sm.count="}), HasSubstr("'' is not a whole number"));
}

TEST(Override, WithoutAValueIsWrongUsage) {
  EXPECT_THROW(read("{}", {"l1.size"}), UsageError);
  EXPECT_THROW(read("{}", {"=3"}), UsageError);
}

}  // namespace
}  // namespace sassim::config
