// SPDX-License-Identifier: Apache-2.0
// Reads .sast files: the index at opening, a kernel's code at its first use, and a block when it is placed.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/trace/kernel.h"
#include "sim/trace/mapped_file.h"
#include "sim/trace/section.h"

namespace sassim::trace {

/// An open file with its index. Safe to use from several threads.
class SastFile {
 public:
  /// Throws InputError that names the file, the byte and the error.
  static std::shared_ptr<const SastFile> open(const std::string& path);
  static std::shared_ptr<const SastFile> open(std::shared_ptr<const MappedFile> file);
  ~SastFile();
  SastFile(const SastFile&) = delete;
  SastFile& operator=(const SastFile&) = delete;

  static bool has_magic(const std::string& path);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  std::uint32_t version() const { return version_; }
  const std::vector<KernelEntry>& kernels() const { return kernels_; }
  std::vector<std::uint8_t> read(const Section& section) const;

 private:
  explicit SastFile(const std::string& path);
  explicit SastFile(std::shared_ptr<const MappedFile> file);
  void read_index();
  void copy_stored(std::uint64_t offset, std::span<std::uint8_t> to) const;
  std::vector<std::uint8_t> bytes(std::uint64_t offset, std::uint64_t count) const;
  void read_frame();
  void check_tiling() const;

  std::string path_;
  int descriptor_ = -1;
  std::shared_ptr<const MappedFile> mapped_;  ///< in place of the descriptor
  std::uint64_t size_ = 0;
  std::uint32_t version_ = 0;
  Section index_;
  std::vector<KernelEntry> kernels_;
};

/// One kernel of a file.
class SastKernel : public BlockSource {
 public:
  SastKernel(std::shared_ptr<const SastFile> file, std::size_t index) : file_(std::move(file)), number_(index) {}

  const KernelInfo& kernel() const override;
  std::uint64_t block_count() const override { return entry().blocks.size(); }
  std::shared_ptr<const BlockTrace> block(BlockId id) override;
  bool decodes() const override { return true; }
  std::uint64_t steps(BlockId id) override { return entry().blocks.at(id.value).steps; }
  std::string hash() const override;

  /// Warp instructions of all blocks, from the index.
  std::uint64_t steps() const;
  const KernelEntry& entry() const { return file_->kernels()[number_]; }
  const SastFile& file() const { return *file_; }

 private:
  std::string place() const;

  std::shared_ptr<const SastFile> file_;
  std::size_t number_;
  mutable std::mutex mutex_;
  mutable std::optional<KernelInfo> kernel_;
  mutable std::vector<DetailKind>
      version_1_;  ///< for a file of version 1: the details that addresses hold, by code index
  BodyPool pool_;
};

}  // namespace sassim::trace
