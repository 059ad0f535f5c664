// SPDX-License-Identifier: Apache-2.0
// Decides from /proc, control groups and earlier peaks whether one more simulation fits.
#include "sim/campaign/memory_budget.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace sassim::campaign {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
/// Used until the first point has ended: simulations of large GPUs should stay below this.
constexpr std::uint64_t kFirstEstimate = 1024 * kMiB;

/// The number in a file of one number; empty for "max" and for a missing file.
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

/// The value of "KEY value" or "KEY: value" in a file of such lines.
std::optional<std::uint64_t> value_in(const fs::path& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t value = 0;
    if (words >> name >> value && (name == key || name == key + ":")) return value;
  }
  return std::nullopt;
}

/// What a control group may still use. Page cache counts as used, but the system can free it.
std::uint64_t group_room(const fs::path& group, const char* limit_file, const char* usage_file, const char* cache_key) {
  const auto limit = number_in(group / limit_file), used = number_in(group / usage_file);
  if (!limit || !used) return kNoLimit;
  const std::uint64_t cache = std::min(value_in(group / "memory.stat", cache_key).value_or(0), *used);
  return *limit - std::min(*limit, *used - cache);
}

/// The least room of a group and all groups above it. In a container, the group's own folder is often the root.
std::uint64_t room_along(const fs::path& mount, const std::string& group, const char* limit_file,
                         const char* usage_file, const char* cache_key) {
  std::uint64_t room = group_room(mount, limit_file, usage_file, cache_key);
  fs::path at = mount;
  for (const fs::path& part : fs::path(group).relative_path()) {
    at /= part;
    room = std::min(room, group_room(at, limit_file, usage_file, cache_key));
  }
  return room;
}

std::uint64_t cgroup_room(const fs::path& root) {
  std::uint64_t room = kNoLimit;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    const fs::path base = root / "sys/fs/cgroup";
    if (controllers.empty())
      for (const fs::path& mount : {base, base / "unified"})
        room = std::min(room, room_along(mount, group, "memory.max", "memory.current", "inactive_file"));
    else if (("," + controllers + ",").find(",memory,") != std::string::npos)
      room = std::min(room, room_along(base / "memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                       "total_inactive_file"));
  }
  return room;
}

}  // namespace

std::uint64_t available_memory(const fs::path& root) {
  const auto kib = value_in(root / "proc/meminfo", "MemAvailable");
  return std::min(kib ? *kib * 1024 : kNoLimit, cgroup_room(root));
}

std::uint64_t resident_memory(int process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/statm");
  std::uint64_t total = 0, resident = 0;
  if (!(in >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void MemoryBudget::learn(std::uint64_t peak) { largest_ = std::max(largest_, peak); }

std::uint64_t MemoryBudget::estimate() const {
  constexpr std::uint64_t kSlack = 16 * kMiB;  // added to a quarter of the peak, because points differ
  return largest_ == 0 ? kFirstEstimate : largest_ + largest_ / 4 + kSlack;
}

bool MemoryBudget::fits(const std::vector<std::uint64_t>& resident, std::uint64_t available) const {
  const std::uint64_t each = estimate();
  std::uint64_t growth = each, total = each;
  for (const std::uint64_t now : resident) {
    growth += each - std::min(each, now);
    total += std::max(each, now);
  }
  constexpr std::uint64_t kKept = 10;  // one part of ten stays free for other programs
  return growth <= available - available / kKept && (limit_ == 0 || total <= limit_);
}

}  // namespace sassim::campaign
