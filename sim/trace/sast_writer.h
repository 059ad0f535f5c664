// SPDX-License-Identifier: Apache-2.0
// Writes a .sast file while it is being recorded: a block is in the file, and out of memory, once it was added.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/trace/kernel.h"
#include "sim/trace/section.h"

namespace sassim::trace {

/// Safe to use from several threads. The file gets its name only when finish() returns (sim/base/durable_file.h).
class SastWriter {
 public:
  explicit SastWriter(const std::string& path, Sync sync = Sync::yes);

  /// The kernel's number in the file.
  std::size_t begin_kernel(const KernelInfo& kernel);
  /// Blocks of any begun kernel, in any order. A grid may stay incomplete.
  void add_block(std::size_t kernel, const BlockTrace& block);
  /// Throws std::logic_error when a block was added twice.
  void finish();

 private:
  /// Appends packed content; the lock must be held.
  void append(std::span<const std::uint8_t> stored, Section& section);
  void write(std::span<const std::uint8_t> bytes);
  void write_index_and_footer();

  DurableFile file_;
  std::mutex mutex_;
  std::uint64_t at_ = 0;
  std::vector<std::uint8_t> header_;
  std::vector<KernelEntry> kernels_;
  std::vector<Dim3> grids_;
};

/// Writes one whole source as a kernel.
void write_kernel(SastWriter& writer, BlockSource& source);

}  // namespace sassim::trace
