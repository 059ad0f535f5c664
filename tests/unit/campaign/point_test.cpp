// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/point.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "sim/base/input_file.h"
#include "sim/campaign/campaign_folder.h"
#include "sim/campaign/journal.h"
#include "sim/campaign/memory_budget.h"
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

using Lines = std::vector<std::string>;

void write(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

const Lines kEvents = {"{\"event\":\"begin\"}", "{\"event\":\"start\",\"key\":\"a\"}", "x", "", "the last one"};

std::string whole_file() {
  std::string text;
  for (const std::string& event : kEvents) text += Journal::line(event);
  return text;
}

TEST(Journal, RemembersAcrossRuns) {
  const TestFolder folder;
  for (const std::string& event : kEvents) Journal(folder / "journal").append(event);
  EXPECT_EQ(Journal(folder / "journal").past(), kEvents);
  EXPECT_EQ(read_whole_file(folder / "journal"), whole_file());
}

// Wherever a killed process stopped writing, what was whole before stays, and the next event is readable after it.
TEST(Journal, TornAtEveryByteKeepsTheWholeLines) {
  const TestFolder folder;
  const std::string file = folder / "journal", all = whole_file();
  for (std::size_t size = 0; size <= all.size(); ++size) {
    write(file, all.substr(0, size));
    Lines whole;
    for (std::size_t end = 0; whole.size() < kEvents.size();) {
      end += Journal::line(kEvents[whole.size()]).size();
      if (end > size) break;
      whole.push_back(kEvents[whole.size()]);
    }
    {
      Journal journal(file);
      EXPECT_EQ(journal.past(), whole) << "cut at " << size;
      EXPECT_EQ(journal.damaged(), 0u);
      journal.append("after");
    }
    whole.emplace_back("after");
    EXPECT_EQ(Journal(file).past(), whole) << "cut at " << size;
  }
}

TEST(Journal, AChangedByteLosesItsLineAlone) {
  const TestFolder folder;
  const std::string file = folder / "journal", all = whole_file();
  for (std::size_t at = 0; at < all.size(); ++at) {
    std::string damaged = all;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write(file, damaged);
    const Lines past = Journal(file).past();
    // A line end that is gone takes the next line along.
    EXPECT_GE(past.size(), kEvents.size() - (all[at] == '\n' ? 2 : 1)) << at;
    EXPECT_LT(past.size(), kEvents.size()) << at;
    for (const std::string& line : past) EXPECT_NE(std::find(kEvents.begin(), kEvents.end(), line), kEvents.end());
  }
}

constexpr std::uint64_t kMiB = 1u << 20;

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(AvailableMemory, IsTheMachinesWithoutControlGroups) {
  const TestFolder root;
  write_text(root / "proc/meminfo", "MemTotal:       4096 kB\nMemFree:  1 kB\nMemAvailable:   2048 kB\n");
  EXPECT_EQ(available_memory(root.path()), 2 * kMiB);
}

TEST(AvailableMemory, IsLessInsideALimitedGroupOfVersion2) {
  const TestFolder root;
  write_text(root / "proc/meminfo", "MemAvailable:   1048576 kB\n");
  write_text(root / "proc/self/cgroup", "0::/job/step\n");
  write_text(root / "sys/fs/cgroup/job/step/memory.max", "max\n");
  write_text(root / "sys/fs/cgroup/job/step/memory.current", "1\n");
  // The limit is one level up; what is cached does not count as used.
  write_text(root / "sys/fs/cgroup/job/memory.max", std::to_string(100 * kMiB));
  write_text(root / "sys/fs/cgroup/job/memory.current", std::to_string(40 * kMiB));
  write_text(root / "sys/fs/cgroup/job/memory.stat", "anon 5\ninactive_file " + std::to_string(10 * kMiB) + "\n");
  EXPECT_EQ(available_memory(root.path()), 70 * kMiB);
}

TEST(AvailableMemory, IsLessInsideALimitedGroupOfVersion1) {
  const TestFolder root;
  write_text(root / "proc/meminfo", "MemAvailable:   1048576 kB\n");
  write_text(root / "proc/self/cgroup", "8:pids:/\n4:memory:/docker/abc\n0::/\n");
  // In a container the group is mounted as the root.
  write_text(root / "sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(64 * kMiB));
  write_text(root / "sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(60 * kMiB));
  EXPECT_EQ(available_memory(root.path()), 4 * kMiB);
}

TEST(MemoryBudget, GrowthOfThoseThatRunIsSetAside) {
  MemoryBudget budget(0);
  budget.learn(100 * kMiB);
  EXPECT_EQ(budget.estimate(), 141 * kMiB);
  // One has grown to 41 MiB: it may take 100 more, and the new one 141. A tenth is kept.
  EXPECT_FALSE(budget.fits({41 * kMiB}, 267 * kMiB));
  EXPECT_TRUE(budget.fits({41 * kMiB}, 268 * kMiB));
  // Beyond the estimate already: no more is set aside for it.
  EXPECT_TRUE(budget.fits({500 * kMiB}, 157 * kMiB));
}

TEST(MemoryBudget, KeepsToAGivenLimit) {
  MemoryBudget budget(300 * kMiB);
  budget.learn(100 * kMiB);
  EXPECT_TRUE(budget.fits({10 * kMiB}, 4096 * kMiB));
  EXPECT_FALSE(budget.fits({10 * kMiB, 10 * kMiB}, 4096 * kMiB));
  EXPECT_FALSE(budget.fits({160 * kMiB}, 4096 * kMiB));
}

TEST(MemoryBudget, AssumesMuchBeforeAnythingIsKnownAndNeverUnlearns) {
  MemoryBudget budget(0);
  EXPECT_EQ(budget.estimate(), 1024 * kMiB);
  budget.learn(64 * kMiB);
  budget.learn(32 * kMiB);
  EXPECT_EQ(budget.estimate(), 96 * kMiB);
}

}  // namespace
}  // namespace sassim::campaign
