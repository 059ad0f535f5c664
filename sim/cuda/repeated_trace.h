// SPDX-License-Identifier: Apache-2.0
// The trace of a launch that is sampled (--sample): blocks are executed again, and recorded, when the model asks for
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/emu/core/emulator.h"
#include "sim/trace/kernel.h"

namespace sassim::cuda {

/// Executes some blocks ahead of the one that is asked for, on several threads, and keeps only these.
class RepeatedTrace final : public trace::BlockSource {
 public:
  /// `kernel` must outlive it.
  RepeatedTrace(const trace::KernelInfo& kernel, std::shared_ptr<emu::RepeatableLaunch> launch, unsigned threads)
      : kernel_(kernel), launch_(std::move(launch)), threads_(threads) {}

  const trace::KernelInfo& kernel() const override { return kernel_; }
  std::shared_ptr<const trace::BlockTrace> block(BlockId) override;
  std::uint64_t steps(BlockId id) override { return launch_->instructions(id); }
  /// Most of the trace is never there.
  std::string hash() const override { return {}; }

 private:
  std::uint64_t end_of_turn(std::uint64_t begin) const;

  const trace::KernelInfo& kernel_;
  const std::shared_ptr<emu::RepeatableLaunch> launch_;
  const unsigned threads_;
  std::mutex mutex_;  ///< of what follows
  std::uint64_t first_ = 0;
  std::vector<std::shared_ptr<const trace::BlockTrace>> blocks_;  ///< from `first_` on
};

}  // namespace sassim::cuda
