// SPDX-License-Identifier: Apache-2.0
#include "sim/config/dump.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

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
