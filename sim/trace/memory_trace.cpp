// SPDX-License-Identifier: Apache-2.0
// Keeps the recorded blocks of a kernel in memory, in the order of the grid, and hashes them.
#include "sim/trace/memory_trace.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/kernel_codec.h"

namespace sassim::trace {

void MemoryTrace::add(std::shared_ptr<const BlockTrace> block) {
  std::scoped_lock lock(mutex_);
  blocks_.push_back(std::move(block));
  sorted_ = false;
}

void MemoryTrace::sort() const {
  if (sorted_) return;
  auto place = [&](const auto& block) { return block_index(kernel_.grid, block->id); };
  std::ranges::sort(blocks_, {}, place);
  const auto twice = std::ranges::adjacent_find(blocks_, {}, place);
  if (twice != blocks_.end())
    throw std::logic_error(fmt::format("block {} of {} was recorded twice", place(*twice), kernel_.name));
  sorted_ = true;
}

std::shared_ptr<const BlockTrace> MemoryTrace::block(BlockId id) {
  std::scoped_lock lock(mutex_);
  sort();
  return blocks_.at(id.value);
}

std::string MemoryTrace::hash() const {
  std::scoped_lock lock(mutex_);
  sort();
  TraceHash hash;
  hash.add(TraceHash::of(encode_kernel(kernel_)));
  for (const auto& block : blocks_) hash.add(TraceHash::of(encode_block(*block)));
  return hash.text();
}

std::string GeneratedTrace::hash() const {
  TraceHash hash;
  hash.add(TraceHash::of(encode_kernel(kernel_)));
  for (std::uint64_t i = 0; i < block_count(); ++i) hash.add(TraceHash::of(encode_block(*make_(BlockId(i)))));
  return hash.text();
}

}  // namespace sassim::trace
