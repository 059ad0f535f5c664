// SPDX-License-Identifier: Apache-2.0
#include "arch/block_scheduler.h"

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"

namespace sassim::arch {

BlockScheduler::BlockScheduler(const config::Occupancy& limits, const config::Launch& launch, std::vector<Sm*> sms,
                               Cycle lookahead)
    : limits_(limits),
      delay_(sms.size(), std::max<std::uint64_t>(limits.block_replacement_delay, lookahead.value)),
      retire_interval_(launch.block_retire_interval),
      sm_interval_(launch.sm_interval),
      sms_(std::move(sms)),
      order_(sms_.size(), launch),
      next_launch_(sms_.size()) {
  for (std::size_t sm = 0; sm < std::min(delay_.size(), launch.sm_ways.size()); ++sm) delay_[sm] += launch.sm_ways[sm];
}

void BlockScheduler::start(trace::BlockSource& source, std::uint32_t per_sm, Cycle now,
                           std::function<void(BlockId, SmId)> placed) {
  source_ = &source;
  placed_ = std::move(placed);
  next_ = completed_ = 0;
  total_ = source.block_count();
  last_end_ = now;
  retire_free_ = 0;
  for (std::size_t turn = 0; turn < order_.sms().size(); ++turn)
    next_launch_[sms_[order_.sms()[turn]]->id().value] =
        now + static_cast<std::uint64_t>(sm_interval_ * static_cast<double>(turn));
  phases_ = {kNever, now, kNever, now, 0, 0};
  thinning_ends_ = thinning_sum_ = 0;
  for (std::size_t i : order_.first(total_, per_sm)) {
    if (next_ == total_) break;
    const Cycle starts = std::max(next_launch_[sms_[i]->id().value], now);
    phases_.first_start = std::min(phases_.first_start, starts);
    phases_.filled = std::max(phases_.filled, starts);
    ++phases_.slots;
    place(*sms_[i], now, limits_.block_launch_interval, limits_.warp_launch_interval);
  }
}

/// Every slot ends once without a successor. Its idle time is known when the last block has ended.
void BlockScheduler::thin(Cycle end) {
  phases_.thinning = std::min(phases_.thinning, end);
  ++thinning_ends_;
  thinning_sum_ += end.value;
  phases_.idle_slots = thinning_ends_ * phases_.last_end.value - thinning_sum_;
}

void BlockScheduler::place(Sm& sm, Cycle at, std::uint32_t interval, std::uint32_t warp_interval) {
  if (next_ == total_) return;
  Cycle& launch = next_launch_[sm.id().value];
  launch = std::max(launch, at);
  auto block = source_->block(BlockId(next_++));
  const BlockId id(trace::block_index(source_->kernel().grid, block->id));
  if (placed_) placed_(id, sm.id());
  const std::uint64_t warps = block->warps.size();
  sm.place(std::move(block), id, launch);
  launch += Cycle(interval + warps * warp_interval);
}

std::shared_ptr<const trace::BlockTrace> BlockScheduler::find(BlockId id) {
  const auto place_of = [&](const trace::BlockTrace& block) {
    return BlockId(trace::block_index(source_->kernel().grid, block.id));
  };
  if (id.value < total_)
    if (auto block = source_->block(id); place_of(*block) == id) return block;
  if (placed_as_.empty())
    for (std::uint64_t number = 0; number < next_; ++number)
      placed_as_.emplace(place_of(*source_->block(BlockId(number))), BlockId(number));
  const auto found = placed_as_.find(id);
  if (found == placed_as_.end()) throw InputError("the checkpoint's thread block {} is not in this trace", id.value);
  return source_->block(found->second);
}

/// The GPU notes one end of a block after another, which delays the end of the kernel but not the next block.
void BlockScheduler::retire(Cycle end) {
  ++completed_;
  retire_free_ = std::max(retire_free_, static_cast<double>(end.value)) + retire_interval_;
  last_end_ = std::max(last_end_, Cycle(static_cast<std::uint64_t>(std::ceil(retire_free_ - retire_interval_))));
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
    retire(end.time);
    phases_.last_end = std::max(phases_.last_end, end.time);
    if (next_ == total_) thin(end.time);
    place(*sms_[end.sm], end.time + delay_[end.sm], limits_.block_refill_interval, limits_.warp_refill_interval);
  }
}

}  // namespace sassim::arch
