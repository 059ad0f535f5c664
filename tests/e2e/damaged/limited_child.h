// SPDX-License-Identifier: Apache-2.0
// Work in a child process that may not crash, take long or take much memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sassim::test {

struct ChildLimits {
  std::uint64_t memory = 256u << 20;  ///< bytes of address space beyond what the test has already
  unsigned cpu_seconds = 20;          ///< of each step
  unsigned wall_seconds = 200;        ///< of each step, on a machine that may be busy
};

struct ChildEnd {
  std::uint64_t step = 0;  ///< the step that was being executed
  std::string why;         ///< empty: all steps were done
};

/// Runs step(0), step(1), ..., step(count - 1) in a child. A step that throws, or ends the process, ends it all.
ChildEnd run_limited(std::uint64_t count, const ChildLimits& limits, const std::function<void(std::uint64_t)>& step);

}  // namespace sassim::test
