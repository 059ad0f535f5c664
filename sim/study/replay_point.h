// SPDX-License-Identifier: Apache-2.0
// The kind of point that replays traces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/study/point.h"

namespace sassim::study {

struct Replay {
  std::vector<std::string> traces;  ///< files or folders, replayed in order as one application
  std::string caches = "cold";      ///< or warm, keep
  bool allow_arch_mismatch = false;
  std::uint64_t no_progress_cycles = 1'000'000;
};

/// Makes points of one replay; traces are opened once, for their hashes.
class ReplayPoints {
 public:
  /// Throws InputError for what is no trace.
  explicit ReplayPoints(Replay replay);
  Point make(std::shared_ptr<const config::GpuConfig> config, std::string label) const;

 private:
  std::string workload_, content_;
};

}  // namespace sassim::study
