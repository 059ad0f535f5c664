// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/point.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/campaign/campaign_folder.h"
#include "sim/config/loader.h"
#include "tests/support/test_folder.h"

namespace sassim::campaign {
namespace {

Point point(const config::GpuConfig& gpu = {}) {
  return {"replay", std::make_shared<config::GpuConfig>(gpu), "/somewhere/a.sast", "0123", "a label"};
}

TEST(PointKey, IsTheSameWhateverThePointIsCalledAndWhereItsFilesLie) {
  const std::string key = point_key(point(), "1.0 abc");
  EXPECT_EQ(key.size(), 32u);
  config::GpuConfig renamed;
  renamed.name = "another";
  Point other = point(renamed);
  other.label = "another label";
  other.workload = "/elsewhere/b.sast";
  EXPECT_EQ(point_key(other, "1.0 abc"), key);
}

TEST(PointKey, ChangesWithEverythingThatDecidesTheResult) {
  std::set<std::string> keys{point_key(point(), "1.0 abc"), point_key(point(), "1.0 abd")};
  config::GpuConfig larger;
  larger.sm.l1.size += 4096;
  keys.insert(point_key(point(larger), "1.0 abc"));
  Point changed = point();
  changed.content = "0124";
  keys.insert(point_key(changed, "1.0 abc"));
  changed = point();
  changed.kind = "mix";
  keys.insert(point_key(changed, "1.0 abc"));
  // The border between two parts counts.
  changed = point();
  changed.kind = "repla";
  keys.insert(point_key(changed, "1.0 abc"));
  EXPECT_EQ(keys.size(), 6u);
}

TEST(PointKey, ProgramIsOnePerBuild) {
  EXPECT_EQ(program_identity(), program_identity());
  EXPECT_GT(program_identity().size(), 32u);
}

TEST(CampaignFolder, GivesAPointBackAsItWas) {
  const TestFolder place;
  const CampaignFolder folder(place.path());
  folder.prepare();
  const Point before = point(config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", {"l2.size=3MiB"}));
  folder.write_point("k", before);
  const Point after = folder.read_point("k");
  EXPECT_EQ(after.kind, before.kind);
  EXPECT_EQ(after.workload, before.workload);
  EXPECT_EQ(after.label, before.label);
  EXPECT_EQ(point_key(after, "p"), point_key(before, "p"));
}

TEST(CampaignFolder, RemovesWhatKilledProcessesLeftHalfWritten) {
  const TestFolder place;
  const CampaignFolder folder(place.path());
  folder.prepare();
  folder.write_result("k", "{}");
  const auto half = folder.root() / "results" / "other.json.host.123.tmp";
  folder.write_failure("f", {"why", 3});
  std::filesystem::copy_file(folder.root() / "results" / "k.json", half);
  folder.prepare();
  EXPECT_FALSE(std::filesystem::exists(half));
  EXPECT_EQ(folder.result("k"), "{}");
  EXPECT_EQ(folder.failure("f")->message, "why");
  EXPECT_EQ(folder.failure("f")->status, 3);
}

}  // namespace
}  // namespace sassim::campaign
