// SPDX-License-Identifier: Apache-2.0
// Kernel traces without a file: recorded by the emulator, or made block by block on demand.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "sim/trace/kernel.h"

namespace sassim::trace {

/// Holds all blocks. All blocks must be added before the first use as a source.
class MemoryTrace : public BlockSource {
 public:
  explicit MemoryTrace(KernelInfo kernel) : kernel_(std::move(kernel)) {}

  /// Blocks can be added in any order and by any thread.
  void add(std::shared_ptr<const BlockTrace> block);

  const KernelInfo& kernel() const override { return kernel_; }
  std::uint64_t block_count() const override { return blocks_.size(); }
  std::shared_ptr<const BlockTrace> block(BlockId id) override;
  std::string hash() const override;

 private:
  void sort() const;

  KernelInfo kernel_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const BlockTrace>> blocks_;
  mutable bool sorted_ = true;
};

/// Makes a block each time it is requested, so that memory does not grow with the grid.
class GeneratedTrace : public BlockSource {
 public:
  /// `make` must always return the same steps for a block, and be safe to call from several threads.
  using Make = std::function<std::shared_ptr<const BlockTrace>(BlockId)>;
  GeneratedTrace(KernelInfo kernel, Make make) : kernel_(std::move(kernel)), make_(std::move(make)) {}

  const KernelInfo& kernel() const override { return kernel_; }
  std::shared_ptr<const BlockTrace> block(BlockId id) override { return make_(id); }
  bool decodes() const override { return true; }
  /// Makes every block once to compute the hash.
  std::string hash() const override;

 private:
  KernelInfo kernel_;
  Make make_;
};

}  // namespace sassim::trace
