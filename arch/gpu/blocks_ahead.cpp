// SPDX-License-Identifier: Apache-2.0
// A few decoded blocks, in a ring; when the wanted one is not there, the threads decode it and those that follow.
#include "arch/gpu/blocks_ahead.h"

#include <algorithm>
#include <utility>

#include "arch/common/thread_team.h"

namespace sassim::arch {

namespace {

constexpr std::size_t kForEachThread = 2;  ///< chosen: more blocks would only take memory

}  // namespace

BlocksAhead::BlocksAhead(std::shared_ptr<ThreadTeam> team)
    : team_(std::move(team)), slots_(team_->size() < 2 ? 0 : team_->size() * kForEachThread) {}

void BlocksAhead::Slot::advance(Cycle) {
  try {
    block = of->block(id);
  } catch (...) {
    error = std::current_exception();
  }
}

void BlocksAhead::decode(trace::BlockSource& source, BlockId first) {
  const std::uint64_t end = std::min(source.block_count(), first.value + slots_.size());
  for (BlockId id = first; id.value < end; ++id.value) {
    Slot& slot = slots_[id.value % slots_.size()];
    slot = Slot{};
    slot.of = &source;
    slot.id = id;
    team_->assign(id.value - first.value, slot);
  }
  team_->advance(Cycle{});
}

void BlocksAhead::clear() {
  for (Slot& slot : slots_) slot = Slot{};
}

std::shared_ptr<const trace::BlockTrace> BlocksAhead::take(trace::BlockSource& source, BlockId id) {
  if (slots_.empty() || !source.decodes()) return source.block(id);
  Slot& slot = slots_[id.value % slots_.size()];
  if (!slot.holds(source, id)) decode(source, id);
  slot.of = nullptr;
  if (slot.error) std::rethrow_exception(std::exchange(slot.error, nullptr));
  return std::move(slot.block);
}

}  // namespace sassim::arch
