// SPDX-License-Identifier: Apache-2.0
// Writes a .sast file during recording: an added block is written to the file and no longer in memory.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/trace/kernel.h"
#include "sim/trace/section.h"

namespace sassim::trace {

/// Safe to use from several threads. The file gets its name when finish() returns (sim/base/durable_file.h).
class SastWriter {
 public:
  explicit SastWriter(const std::string& path, Sync sync = Sync::yes, Compression compression = Compression::zstd);

  /// Returns the kernel's number in the file.
  std::size_t begin_kernel(const KernelInfo& kernel);
  /// Adds a block of any kernel that has begun, in any order. Blocks of a grid may be missing.
  void add_block(std::size_t kernel, const BlockTrace& block);
  /// Throws std::logic_error if a block was added twice.
  void finish();

 private:
  /// Appends packed content; the caller must hold the lock.
  void append(std::span<const std::uint8_t> stored, Section& section);
  void write(std::span<const std::uint8_t> bytes);
  void write_index_and_footer();

  DurableFile file_;
  Compression compression_;
  std::mutex mutex_;
  std::uint64_t at_ = 0;
  std::vector<std::uint8_t> header_;
  std::vector<KernelEntry> kernels_;
  std::vector<Dim3> grids_;
};

}  // namespace sassim::trace
