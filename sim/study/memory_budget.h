// SPDX-License-Identifier: Apache-2.0
// How many simulations the machine's memory has room for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace sassim::study {

/// What can still be allocated, in bytes: /proc/meminfo, and less where a control group of this process (version 1 or
/// 2) sets a limit. `root` is where /proc and /sys are.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

/// Resident memory of a process now; 0 when it is gone.
std::uint64_t resident_memory(int process);

class MemoryBudget {
 public:
  /// `limit`: of all points together, in bytes; 0: only what is available counts.
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}

  /// A point ended and had used this much at most.
  void learn(std::uint64_t peak);
  /// What one more point may come to use.
  std::uint64_t estimate() const;
  /// Whether one more fits beside those that run, of which each has `resident` bytes now and may grow to the estimate.
  bool fits(const std::vector<std::uint64_t>& resident, std::uint64_t available) const;

 private:
  std::uint64_t limit_;
  std::uint64_t largest_ = 0;
};

}  // namespace sassim::study
