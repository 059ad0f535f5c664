// SPDX-License-Identifier: Apache-2.0
// Tells .sast files from Accel-Sim traces and opens their kernels, for each command that takes a trace.
#include "sim/trace/open.h"

#include <filesystem>
#include <mutex>

#include "sim/base/error.h"
#include "sim/trace/memory_trace.h"
#include "sim/trace/sast_file.h"
#include "sim/trace/traceg_import.h"

namespace sassim::trace {
namespace {

/// An Accel-Sim kernel. It is read completely when it is first used.
class TracegKernel : public BlockSource {
 public:
  explicit TracegKernel(std::string file) : file_(std::move(file)) {}
  const KernelInfo& kernel() const override { return trace().kernel(); }
  std::uint64_t block_count() const override { return trace().block_count(); }
  std::shared_ptr<const BlockTrace> block(BlockId id) override { return trace().block(id); }
  std::string hash() const override { return trace().hash(); }

 private:
  MemoryTrace& trace() const {
    std::scoped_lock lock(mutex_);
    if (!trace_) trace_ = load_traceg(file_);
    return *trace_;
  }

  std::string file_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<MemoryTrace> trace_;
};

}  // namespace

std::vector<std::shared_ptr<BlockSource>> open(const std::string& path) {
  std::vector<std::shared_ptr<BlockSource>> kernels;
  if (!std::filesystem::exists(path)) throw InputError("{}: no such trace", path);
  if (is_traceg(path)) {
    for (auto& file : traceg_files(path)) kernels.push_back(std::make_shared<TracegKernel>(std::move(file)));
    return kernels;
  }
  if (std::filesystem::is_directory(path))
    throw InputError("{}: a directory without kernelslist.g; expected a .sast file or an Accel-Sim directory", path);
  const auto file = SastFile::open(path);
  for (std::size_t i = 0; i < file->kernels().size(); ++i) kernels.push_back(std::make_shared<SastKernel>(file, i));
  return kernels;
}

std::vector<std::filesystem::path> trace_files(const std::string& path) {
  std::vector<std::filesystem::path> files = {path};
  if (!std::filesystem::exists(path) || !is_traceg(path)) return files;
  if (std::filesystem::is_directory(path)) files.push_back(std::filesystem::path(path) / "kernelslist.g");
  for (const std::string& file : traceg_files(path)) files.emplace_back(file);
  return files;
}

}  // namespace sassim::trace
