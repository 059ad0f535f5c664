// SPDX-License-Identifier: Apache-2.0
#include "arch/block_scheduler.h"

#include <algorithm>

namespace sassim::arch {

BlockScheduler::BlockScheduler(const config::Occupancy& limits, std::vector<Sm*> sms, Cycle lookahead)
    : delay_(std::max<std::uint64_t>(limits.block_replacement_delay, lookahead.value)),
      interval_(limits.block_launch_interval),
      sms_(std::move(sms)),
      next_launch_(sms_.size()) {}

void BlockScheduler::start(trace::BlockSource& source, std::uint32_t per_sm, Cycle now,
                           std::function<void(BlockId, SmId)> placed) {
  source_ = &source;
  placed_ = std::move(placed);
  next_ = completed_ = 0;
  total_ = source.block_count();
  last_end_ = now;
  std::fill(next_launch_.begin(), next_launch_.end(), now);
  for (std::uint32_t round = 0; round < per_sm; ++round)
    for (Sm* sm : sms_) place(*sm, now);
}

void BlockScheduler::place(Sm& sm, Cycle at) {
  if (next_ == total_) return;
  Cycle& launch = next_launch_[sm.id().value];
  launch = std::max(launch, at);
  auto block = source_->block(BlockId(next_++));
  const BlockId id(trace::block_index(source_->kernel().grid, block->id));
  if (placed_) placed_(id, sm.id());
  sm.place(std::move(block), id, launch);
  launch += Cycle(interval_);
}

void BlockScheduler::exchange(Cycle) {
  ends_.clear();
  for (std::size_t i = 0; i < sms_.size(); ++i) {
    for (const Sm::Completion& completion : sms_[i]->completions()) ends_.push_back({completion.time, i});
    sms_[i]->completions().clear();
  }
  if (ends_.empty()) return;
  std::stable_sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) { return a.time < b.time; });
  for (const End& end : ends_) {
    ++completed_;
    last_end_ = std::max(last_end_, end.time);
    place(*sms_[end.sm], end.time + delay_);
  }
}

}  // namespace sassim::arch
