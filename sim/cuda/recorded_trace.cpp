// SPDX-License-Identifier: Apache-2.0
// Writes the blocks of an executed launch to a file or to memory, for the timing model to replay.
#include "sim/cuda/recorded_trace.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "sim/trace/mapped_file.h"
#include "sim/trace/sast_file.h"

namespace sassim::cuda {

namespace {

/// A source of blocks that others may use, too.
class Shared final : public trace::BlockSource {
 public:
  explicit Shared(std::shared_ptr<trace::BlockSource> blocks) : blocks_(std::move(blocks)) {}
  const trace::KernelInfo& kernel() const override { return blocks_->kernel(); }
  std::uint64_t block_count() const override { return blocks_->block_count(); }
  std::shared_ptr<const trace::BlockTrace> block(BlockId id) override { return blocks_->block(id); }
  std::string hash() const override { return blocks_->hash(); }

 private:
  std::shared_ptr<trace::BlockSource> blocks_;
};

/// Warps with the same path share their bytes, which count for each of them.
std::uint64_t bytes_of(const trace::BlockTrace& block) {
  std::uint64_t all = 0;
  for (const auto& warp : block.warps) all += warp->bytes();
  return all;
}

}  // namespace

RecordedTrace::RecordedTrace(const trace::KernelInfo& info, std::string path, Keep keep)
    : path_(std::move(path)), keep_(keep) {
  open(info);
}

RecordedTrace::RecordedTrace(const trace::KernelInfo& info, std::string path, std::uint64_t in_memory)
    : path_(std::move(path)), in_memory_(std::make_shared<trace::MemoryTrace>(info)), room_(in_memory) {}

RecordedTrace::RecordedTrace(const trace::KernelInfo& info) : in_memory_(std::make_shared<trace::MemoryTrace>(info)) {}

void RecordedTrace::open(const trace::KernelInfo& info) {
  writer_.emplace(path_, keep_ == Keep::yes ? Sync::yes : Sync::no);
  kernel_ = writer_->begin_kernel(info);
}

void RecordedTrace::add(const std::shared_ptr<const trace::BlockTrace>& block) {
  {
    const std::scoped_lock lock(mutex_);
    if (in_memory_) {
      in_memory_->add(block);
      if (!room_) return;
      const std::uint64_t more = bytes_of(*block);
      if (more <= *room_) {
        *room_ -= more;
        return;
      }
      const std::shared_ptr<trace::MemoryTrace> held = std::move(in_memory_);
      open(held->kernel());
      for (std::uint64_t i = 0; i < held->block_count(); ++i) writer_->add_block(kernel_, *held->block(BlockId(i)));
      return;
    }
  }
  writer_->add_block(kernel_, *block);
}

SideBySide::Trace RecordedTrace::finish() {
  if (in_memory_) return [blocks = in_memory_] { return std::make_unique<Shared>(blocks); };
  writer_->finish();
  const auto file = std::make_shared<trace::MappedFile>(path_);
  std::error_code ignored;
  if (keep_ == Keep::no) std::filesystem::remove(path_, ignored);
  return [file] { return std::make_unique<trace::SastKernel>(trace::SastFile::open(file), 0); };
}

}  // namespace sassim::cuda
