// SPDX-License-Identifier: Apache-2.0
// The simulations of `sassim explore`: each replays the same traces on a variant of the GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/campaign/point.h"
#include "sim/trace/kernel.h"

namespace sassim::explore {

struct Replay {
  std::vector<std::string> traces;  ///< files or folders, replayed in order as one application
  std::string caches = "cold";      ///< cold, warm or keep
  bool allow_arch_mismatch = false;
  std::uint64_t no_progress_cycles = 1'000'000;
};

/// Makes points of one replay; opens the traces once, to hash them.
class ReplayPoints {
 public:
  /// Throws InputError for a file that is not a trace.
  explicit ReplayPoints(Replay replay);
  /// `kind`: a PointKind that opens its replay with open_replay().
  campaign::Point make(std::shared_ptr<const config::GpuConfig> config, std::string label,
                       std::string kind = "replay") const;
  const std::vector<std::shared_ptr<trace::BlockSource>>& kernels() const { return kernels_; }

 private:
  std::vector<std::shared_ptr<trace::BlockSource>> kernels_;
  std::string workload_, content_;
};

struct OpenReplay {
  std::vector<std::shared_ptr<trace::BlockSource>> kernels;
  arch::RunOptions options;
};
/// Opens the traces of a point that ReplayPoints made. Throws InputError when they have changed.
OpenReplay open_replay(const campaign::Point& point);

}  // namespace sassim::explore
