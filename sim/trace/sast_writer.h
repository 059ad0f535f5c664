// SPDX-License-Identifier: Apache-2.0
// Writes a .sast file while it is being recorded: a block is in the file, and out of memory, once it was added.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/trace/kernel.h"
#include "sim/trace/section.h"

namespace sassim::trace {

/// Safe to use from several threads. The file appears under its name only when finish() returns; until then, and when
/// the writer goes away unfinished, there is at most a file NAME.part.
class SastWriter {
 public:
  explicit SastWriter(std::string path);
  ~SastWriter();
  SastWriter(const SastWriter&) = delete;
  SastWriter& operator=(const SastWriter&) = delete;

  /// The kernel's number in the file.
  std::size_t begin_kernel(const KernelInfo& kernel);
  /// Blocks of any begun kernel, in any order. A grid may stay incomplete.
  void add_block(std::size_t kernel, const BlockTrace& block);
  /// Throws std::logic_error when a block was added twice.
  void finish();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  /// Appends packed content; the lock must be held.
  void append(std::span<const std::uint8_t> stored, Section& section);
  void write(std::span<const std::uint8_t> bytes);
  void write_index_and_footer();

  std::string path_, part_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::mutex mutex_;
  std::uint64_t at_ = 0;
  std::vector<std::uint8_t> header_;
  std::vector<KernelEntry> kernels_;
  std::vector<Dim3> grids_;
};

/// Writes one whole source as a kernel.
void write_kernel(SastWriter& writer, BlockSource& source);

}  // namespace sassim::trace
