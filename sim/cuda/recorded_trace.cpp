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

}  // namespace

RecordedTrace::RecordedTrace(const trace::KernelInfo& info, std::string path, Keep keep)
    : path_(std::move(path)), keep_(keep) {
  writer_.emplace(path_, keep == Keep::yes ? Sync::yes : Sync::no);
  kernel_ = writer_->begin_kernel(info);
}

RecordedTrace::RecordedTrace(const trace::KernelInfo& info) : in_memory_(std::make_shared<trace::MemoryTrace>(info)) {}

void RecordedTrace::add(const std::shared_ptr<const trace::BlockTrace>& block) {
  if (in_memory_)
    in_memory_->add(block);
  else
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
