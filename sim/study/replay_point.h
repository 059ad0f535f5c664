// SPDX-License-Identifier: Apache-2.0
// The kind of point that replays traces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arch/gpu.h"
#include "sim/study/point.h"
#include "sim/trace/kernel.h"

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
  /// `kind` is a PointKind that opens its replay with open_replay().
  Point make(std::shared_ptr<const config::GpuConfig> config, std::string label, std::string kind = "replay") const;
  const std::vector<std::shared_ptr<trace::BlockSource>>& kernels() const { return kernels_; }

 private:
  std::vector<std::shared_ptr<trace::BlockSource>> kernels_;
  std::string workload_, content_;
};

struct OpenReplay {
  std::vector<std::shared_ptr<trace::BlockSource>> kernels;
  arch::RunOptions options;
};
/// What a point made by ReplayPoints replays. Throws InputError when the traces are not what they were.
OpenReplay open_replay(const Point& point);

}  // namespace sassim::study
