// SPDX-License-Identifier: Apache-2.0
// Mechanisms that a GPU may lack, and keys that had another name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/config/dump.h"
#include "sim/config/field.h"
#include "sim/config/status.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

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
