// SPDX-License-Identifier: Apache-2.0
// A kernel of a .sast file: its code is decoded at the first use, each block when it is asked for.
#include "sim/base/error.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/kernel_codec.h"
#include "sim/trace/sast_file.h"

namespace sassim::trace {
namespace {

/// With 32 threads per warp, sums still fit into 64 bits.
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 58;

}  // namespace

std::string SastKernel::place() const {
  return fmt::format("{}: kernel {} ({})", file_->path(), number_, entry().name);
}

const KernelInfo& SastKernel::kernel() const {
  std::scoped_lock lock(mutex_);
  if (kernel_) return *kernel_;
  const auto content = file_->read(entry().info);
  KernelInfo kernel = decode_kernel(content, fmt::format("{}, section at byte {}", place(), entry().info.offset));
  if (!entry().blocks.empty() && entry().blocks.back().linear >= kernel.grid.count())
    throw InputError("{}: block {} lies outside the grid of {} blocks", place(), entry().blocks.back().linear,
                     kernel.grid.count());
  if (kernel.name != entry().name)
    throw InputError("{}: the index names the kernel {}, but its section names it {}", file_->path(), entry().name,
                     kernel.name);
  steps();  // counts of threads (32 per step) must not overflow
  if (file_->version() == 1)
    for (const isa::Instruction& instruction : kernel.code) version_1_.push_back(detail_kind(instruction));
  kernel_ = std::move(kernel);
  return *kernel_;
}

std::shared_ptr<const BlockTrace> SastKernel::block(BlockId id) {
  const KernelInfo& info = kernel();
  const KernelEntry::Block& block = entry().blocks.at(id.value);
  const std::string where =
      fmt::format("{}, block {}, section at byte {}", place(), block.linear, block.section.offset);
  const auto trace =
      decode_block(file_->read(block.section), info, where, &pool_, file_->version() == 1 ? &version_1_ : nullptr);
  std::uint64_t steps = 0;
  for (const auto& warp : trace->warps) steps += warp->steps();
  if (block_index(info.grid, trace->id) != block.linear || steps != block.steps)
    throw InputError("{}: the section holds a different block from the one in the index", where);
  return trace;
}

std::uint64_t SastKernel::steps() const {
  std::uint64_t all = 0;
  for (const auto& block : entry().blocks) {
    if (block.steps > kMostSteps - all)
      throw InputError("{}: its blocks announce more than {} warp instructions together", place(), kMostSteps);
    all += block.steps;
  }
  return all;
}

std::string SastKernel::hash() const {
  TraceHash hash;
  hash.add(entry().info.hash);
  for (const auto& block : entry().blocks) hash.add(block.section.hash);
  return hash.text();
}

}  // namespace sassim::trace
