// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/memory_budget.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/test_folder.h"

namespace sassim::campaign {
namespace {

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
