// SPDX-License-Identifier: Apache-2.0
// --checkpoint-every and --resume: a replay that goes on where another one was.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/forward.h"
#include "sim/replay/run.h"

namespace CLI {
class App;
}

namespace sassim::cli {

struct CheckpointOptions {
  std::uint64_t every = 0;  ///< cycles of a launch; 0: none are written
  std::size_t keep = 0;     ///< the last ones; 0: all
  std::string folder = "sassim-checkpoints", resume;

  void add_to(CLI::App& command);
};

/// Writes and reads the files of a run.
class CheckpointOutput {
 public:
  using Kernels = std::vector<std::shared_ptr<trace::BlockSource>>;

  /// `trace`: the file of the first trace. `window`: the value of --window, empty if the option is not given. Throws
  /// InputError for a checkpoint that cannot be resumed here, or that was written after the beginning of the window.
  CheckpointOutput(const CheckpointOptions& options, const config::GpuConfig& gpu, const std::string& caches,
                   const Kernels& kernels, const std::string& trace, const std::string& window);
  CheckpointOutput(const CheckpointOutput&) = delete;
  CheckpointOutput& operator=(const CheckpointOutput&) = delete;

  /// For replay::run(); nullptr: no checkpoints. Must not outlive this.
  const replay::CheckpointPlan* plan() const { return planned_ ? &plan_ : nullptr; }

 private:
  void check_window(const std::string& window) const;
  void write(const replay::Checkpoint& checkpoint);

  const CheckpointOptions& options_;
  std::string trace_;
  bool planned_;
  replay::CheckpointPlan plan_;
  std::optional<replay::Checkpoint> resumed_;
  std::deque<std::string> written_;  ///< that are kept
};

}  // namespace sassim::cli
