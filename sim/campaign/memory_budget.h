// SPDX-License-Identifier: Apache-2.0
// How many simulations of a campaign fit into the machine's memory at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace sassim::campaign {

/// Bytes that can still be allocated, from /proc/meminfo and from the limits of this process's control groups (version
/// 1 or 2). `root` is the folder with /proc and /sys.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

/// Resident memory of a process; 0 if it has ended.
std::uint64_t resident_memory(int process);

class MemoryBudget {
 public:
  /// `limit`: bytes for all points together; 0: all available memory.
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}

  /// Records the peak memory of a point that has ended.
  void learn(std::uint64_t peak);
  /// The memory that one more point may need.
  std::uint64_t estimate() const;
  /// Whether one more point fits. Each running point uses `resident` bytes now and may grow to the estimate.
  bool fits(const std::vector<std::uint64_t>& resident, std::uint64_t available) const;

 private:
  std::uint64_t limit_;
  std::uint64_t largest_ = 0;
};

}  // namespace sassim::campaign
