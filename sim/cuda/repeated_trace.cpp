// SPDX-License-Identifier: Apache-2.0
// Executes blocks of a sampled launch again, some ahead, when the timing model asks for them.
#include "sim/cuda/repeated_trace.h"

#include "sim/emu/core/recording.h"

namespace sassim::cuda {

/// A turn takes much longer than starting its threads, and little memory.
std::uint64_t RepeatedTrace::end_of_turn(std::uint64_t begin) const {
  constexpr std::uint64_t kInstructions = 1 << 20, kMostBlocks = 4096;
  std::uint64_t end = begin, instructions = 0;
  for (; end < block_count() && end - begin < kMostBlocks; ++end) {
    if (instructions >= kInstructions && end - begin >= threads_) break;
    instructions += launch_->instructions(BlockId(end));
  }
  return end;
}

std::shared_ptr<const trace::BlockTrace> RepeatedTrace::block(BlockId id) {
  const std::lock_guard lock(mutex_);
  if (id.value < first_ || id.value >= first_ + blocks_.size()) {
    blocks_.clear();
    first_ = id.value;
    emu::BlockRecorder recorder(
        kernel_, [this](std::shared_ptr<const trace::BlockTrace> block) { blocks_.push_back(std::move(block)); }, {},
        id);
    launch_->repeat(id, BlockId(end_of_turn(id.value)), recorder);
  }
  return blocks_.at(id.value - first_);
}

}  // namespace sassim::cuda
