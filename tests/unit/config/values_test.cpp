// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/config/dump.h"
#include "sim/config/field.h"
#include "sim/config/gpu_config.h"
#include "sim/config/key_path.h"
#include "sim/config/status.h"
#include "sim/config/units.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

std::uint64_t value(const char* text, Unit unit) {
  std::uint64_t result = 0;
  EXPECT_EQ(parse_quantity(text, unit, result), "") << text;
  return result;
}

bool refused(const char* text, Unit unit) {
  std::uint64_t result = 0;
  return !parse_quantity(text, unit, result).empty();
}

TEST(Units, SizesAreBinary) {
  EXPECT_EQ(value("64KiB", Unit::bytes), 65536u);
  EXPECT_EQ(value("64 KiB", Unit::bytes), 65536u);
  EXPECT_EQ(value("1.5MiB", Unit::bytes), 1572864u);
  EXPECT_EQ(value("100000", Unit::bytes), 100000u);
  EXPECT_EQ(value("7B", Unit::bytes), 7u);
  EXPECT_TRUE(refused("1.3B", Unit::bytes));
  EXPECT_TRUE(refused("1e3", Unit::bytes));
  EXPECT_TRUE(refused("0x40", Unit::bytes));
  EXPECT_TRUE(refused("99999999999GiB", Unit::bytes));
}

TEST(Units, ClocksAreExact) {
  EXPECT_EQ(value("1.38GHz", Unit::hertz), 1'380'000'000u);
  EXPECT_EQ(value("877.5MHz", Unit::hertz), 877'500'000u);
  EXPECT_TRUE(refused("1590", Unit::hertz));
  EXPECT_TRUE(refused("1.0000000001GHz", Unit::hertz));
}

TEST(Units, MasksAreHexadecimal) {
  EXPECT_EQ(value("0x1ed5da", Unit::mask), 0x1ed5dau);
  EXPECT_EQ(value("0xffffffffffffffff", Unit::mask), ~0ull);
  EXPECT_EQ(value("12", Unit::mask), 12u);
  EXPECT_EQ(format_quantity(0x1ed5da, Unit::mask), "0x1ed5da");
  for (const char* text : {"0x", "0xg", "0x1 ", "0x-1", "ed5da", "0x10000000000000000"})
    EXPECT_TRUE(refused(text, Unit::mask)) << text;
}

TEST(Units, WhatIsPrintedReadsBackTheSame) {
  for (const std::uint64_t number :
       {0ull, 1ull, 1000ull, 1024ull, 1536ull, 47104ull, 6291456ull, 1590000000ull, 1234567891ull})
    for (const Unit unit : {Unit::bytes, Unit::hertz, Unit::cycles, Unit::count, Unit::mask})
      EXPECT_EQ(value(format_quantity(number, unit).c_str(), unit), number) << format_quantity(number, unit);
}

TEST(Units, LargestExactSuffixIsPrinted) {
  EXPECT_EQ(format_quantity(6u << 20, Unit::bytes), "6MiB");
  EXPECT_EQ(format_quantity(1'590'000'000, Unit::hertz), "1590MHz");
  EXPECT_EQ(format_quantity(100000, Unit::bytes), "100000");
}

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

// Mechanisms that a GPU may lack, and keys that had another name.

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Option, NoneSwitchesAMechanismOff) {
  const std::string file =
      "memory: {crossbar: {merge: {window: 70, most: 3, system: true, system_lines: 1, split_copies: true}}}";
  EXPECT_EQ(read(file).config.memory.crossbar.merge.window, 70u);
  const auto without = read(file, {"crossbar.merge=none"});
  EXPECT_EQ(without.problems.size(), 0u);
  EXPECT_EQ(without.config.memory.crossbar.merge.window, 0u);
  EXPECT_EQ(config_hash(without.config), config_hash(read("{}").config));
  EXPECT_EQ(shown_name(without.config), "test+crossbar.merge=none");
  EXPECT_THAT(problems("memory: {crossbar: {merge: 3}}"),
              HasSubstr("expected keys below it: window, most, system, system_lines, split_copies; or none"));
  EXPECT_THAT(problems("memory: {crossbar: none}"), HasSubstr("expected keys below it: request_latency"));
}

TEST(Option, WhatIsAbsentIsNotWritten) {
  EXPECT_THAT(dump_yaml(read("{}").config), Not(HasSubstr(" merge:")));
  EXPECT_FALSE(to_json(read("{}").config)["memory"].contains("halves"));
  const auto with =
      read("memory: {crossbar: {merge: {window: 70, most: 3, system: true, system_lines: 1, split_copies: true}}}");
  EXPECT_THAT(dump_yaml(with.config),
              HasSubstr("    merge:\n      window: 70\n      most: 3\n      system: true\n      system_lines: 1\n"
                        "      split_copies: true\n"));
  EXPECT_EQ(to_json(with.config)["memory"]["crossbar"]["merge"]["most"], 3);
  const auto found = differences(read("{}").config, with.config);
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].left, "none");
  EXPECT_EQ(found[0].right, "70");
}

TEST(Option, AGroupIsThereAsAWhole) {
  const auto loaded = read_config("t4", {{"crossbar.merge.window=70"}, {}, false});
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_EQ(loaded.problems.front(),
            "-o crossbar.merge.window=70: memory.crossbar.merge: 'most', 'system', 'system_lines', 'split_copies' is "
            "missing; a GPU that has "
            "this mechanism sets "
            "window, "
            "most, system, system_lines, split_copies, a GPU that lacks it has 'merge: none'");
  EXPECT_TRUE(read_config("h200", {{"crossbar.merge.window=60"}, {}, false}).problems.empty());
}

TEST(Option, AKeyThatMayBeLeftOutSwitchesNothingOn) {
  GpuConfig defaults;
  const FieldList list(defaults);
  int count = 0;
  for (const Field& field : list.fields()) {
    if (!field.optional) continue;
    ++count;
    const std::string off = field.format();
    EXPECT_TRUE(off == "0" || off == "0GB/s" || off == "false" || off == "[]" || off == "none")
        << field.path << " is " << off << " where no file sets it";
  }
  EXPECT_GT(count, 80);
}

TEST(Option, AKeyThatIsOffIsNotWrittenAndNeedNotBe) {
  const auto off = read("sm: {l1: {store_interval: 0}, pipes: {fma: {lanes: 16, queue: 0}}}");
  EXPECT_THAT(dump_yaml(off.config), Not(HasSubstr("store_interval")));
  EXPECT_THAT(dump_yaml(off.config), HasSubstr("    fma: {lanes: 16}\n"));
  EXPECT_FALSE(to_json(off.config)["sm"]["l1"].contains("store_interval"));
  EXPECT_THAT(dump_yaml(read("sm: {l1: {store_interval: 2}}").config), HasSubstr("    store_interval: 2\n"));
  EXPECT_EQ(config_hash(off.config), config_hash(read("{}").config));
  const auto found = differences(off.config, read("sm: {l1: {store_interval: 2}}").config);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].left, "none");
  for (const char* gpu : {"t4", "h200"}) EXPECT_TRUE(read_config(gpu).problems.empty());
}

TEST(Option, KeysOfTheEnvironmentMayBeSetOneByOne) {
  const auto loaded = read_config("t4", {{"environment.profiled_hits=70"}, {}, false});
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.config.environment.profiled_hits, 70u);
  EXPECT_EQ(loaded.config.environment.flushed, 0u);
  EXPECT_FALSE(to_json(read_config("t4").config).contains("environment"));
}

TEST(Renamed, OldKeysAreReadAndANoteSaysTheNewOnes) {
  const auto in_file = read("memory: {crossbar: {merge_window: 3}}\n# more\nsm: {issue: {indirect_latency: 50}}");
  EXPECT_EQ(in_file.problems.size(), 0u);
  EXPECT_EQ(in_file.config.memory.crossbar.merge.window, 3u);
  EXPECT_EQ(in_file.config.sm.issue.indirect.latency, 50u);
  EXPECT_THAT(in_file.notes,
              ElementsAre("test.yaml:1:21: key 'memory.crossbar.merge_window' is now 'memory.crossbar.merge.window'",
                          "test.yaml:3:14: key 'sm.issue.indirect_latency' is now "
                          "'sm.issue.indirect.latency'"));
  const auto typed = read("memory: {l2: {full: true}}", {"l2.full=false", "membar_beyond=2", "l2.full=true"});
  EXPECT_EQ(typed.problems.size(), 0u);
  EXPECT_TRUE(typed.config.environment.others_full);
  EXPECT_EQ(typed.config.sm.memory_io.membar_l2.host, 2u);
  EXPECT_THAT(typed.notes, ElementsAre("test.yaml:1:15: key 'memory.l2.full' is now 'environment.others_full'",
                                       "-o membar_beyond=2: key 'membar_beyond' is now 'sm.memory_io.membar_l2.host'"))
      << "once";
  EXPECT_THAT(read("{}", {"partial_ways=2", "upload=3KiB"}).notes, IsEmpty()) << "endings of the new names";
  EXPECT_THAT(problems("memory: {l2: {upload: many}}"), HasSubstr("test.yaml:1:23: environment.upload:"));
}

TEST(Renamed, KeysThatAreGoneSayWhy) {
  EXPECT_EQ(problems("memory: {l2: {code_by_gpc: true}}"),
            "test.yaml:1:15: key 'memory.l2.code_by_gpc' was removed: it follows from sm.front_end.gpc_constants");
  EXPECT_EQ(problems("{}", {"code_by_gpc=true"}),
            "-o code_by_gpc=true: key 'code_by_gpc' was removed: it follows from sm.front_end.gpc_constants");
}

TEST(Status, IsTheWordBeforeTheColon) {
  EXPECT_EQ(reason_of("carried over: as Volta").status, Status::carried_over);
  EXPECT_EQ(reason_of("carried over: as Volta").text, "as Volta");
  EXPECT_EQ(reason_of("measured on a V100").status, Status::unstated);
  EXPECT_EQ(reason_of("measured:").status, Status::unstated) << "no reason";
  EXPECT_EQ(reason_of("V100 report").text, "V100 report");
}

}  // namespace
}  // namespace sassim::config
