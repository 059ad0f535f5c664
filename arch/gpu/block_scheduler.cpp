// SPDX-License-Identifier: Apache-2.0
// The GPU's block scheduler: fills the SMs at a launch, then replaces each thread block that has ended.
#include "arch/gpu/block_scheduler.h"

#include <algorithm>
#include <stdexcept>

#include "sim/base/error.h"
#include "sim/config/groups/launch.h"

namespace sassim::arch {

BlockScheduler::BlockScheduler(const config::Occupancy& limits, const config::Launch& launch, std::vector<Sm*> sms,
                               Cycle lookahead, std::shared_ptr<ThreadTeam> team)
    : limits_(limits),
      lookahead_(lookahead.value),
      delay_(std::max<std::uint64_t>(limits.block_replacement_delay, lookahead.value)),
      sm_interval_(launch.sm_interval),
      sms_(std::move(sms)),
      order_(sms_.size(), launch),
      ends_(order_.sms(), launch.block_retire_interval),  // the order of turns is assumed
      ahead_(std::move(team)),
      next_launch_(sms_.size()) {}

LaunchIndex BlockScheduler::add(trace::BlockSource& source, const config::OccupancyResult& fit, Cycle from,
                                int priority) {
  const LaunchIndex number(launches_.size());
  launches_.push_back({&source, fit, priority, from});
  Running& launch = launches_.back();
  launch.total = source.block_count();
  launch.last_end = from;
  launch.on_sm.assign(sms_.size(), 0);
  const auto later = std::find_if(by_rank_.begin(), by_rank_.end(),
                                  [&](LaunchIndex other) { return launches_[other].priority > priority; });
  by_rank_.insert(later, number);
  return number;
}

void BlockScheduler::start(trace::BlockSource& source, const config::OccupancyResult& fit, Cycle now,
                           std::function<void(BlockId, SmId)> placed, int priority) {
  launches_.clear();
  by_rank_.clear();
  uses_.assign(sms_.size(), Use{.carveout = fit.carveout});
  free_from_.assign(sms_.size(), now);
  placed_ = std::move(placed);
  ends_.clear();
  ahead_.clear();
  add(source, fit, now, priority);
  for (std::size_t turn = 0; turn < order_.sms().size(); ++turn)
    next_launch_[sms_[order_.sms()[turn]]->id().value] =
        now + static_cast<std::uint64_t>(sm_interval_ * static_cast<double>(turn));
  phases_ = {kNever, now, kNever, now, 0, 0};
  thinning_ = {};
  for (std::size_t i : order_.first(source.block_count(), fit.blocks)) {
    if (launches_.front().next == launches_.front().total) break;
    const Cycle starts = std::max(next_launch_[sms_[i]->id().value], now);
    phases_.first_start = std::min(phases_.first_start, starts);
    phases_.filled = std::max(phases_.filled, starts);
    ++phases_.slots;
    place(LaunchIndex{}, i, now);
  }
}

LaunchIndex BlockScheduler::join(trace::BlockSource& source, const config::OccupancyResult& fit, Cycle decision,
                                 Cycle from, int priority) {
  const LaunchIndex launch = add(source, fit, from, priority);
  if (head() == launch) spread(launch, decision);
  return launch;
}

/// The launch whose blocks are given to SMs; kNone: no launch has blocks left.
LaunchIndex BlockScheduler::head() const {
  const auto found = std::find_if(by_rank_.begin(), by_rank_.end(),
                                  [&](LaunchIndex i) { return launches_[i].next != launches_[i].total; });
  return found == by_rank_.end() ? kNone : *found;
}

/// Shared memory is divided from the L1 anew only while no block is on the SM.
bool BlockScheduler::fits(const Running& launch, std::size_t sm) const {
  const Use& use = uses_[sm];
  if (use.blocks == 0) return true;
  if (launch.on_sm[sm] == launch.fit.blocks) return false;
  if (launch.on_sm[sm] == use.blocks && use.carveout == launch.fit.carveout) return true;
  return use.blocks < limits_.blocks &&
         use.warps + launch.fit.warps_per_block <= std::min(limits_.warps, limits_.threads / 32) &&
         use.registers + launch.fit.registers_per_block <= limits_.registers &&
         use.shared + launch.fit.shared_per_block <= use.carveout;
}

/// The SM with room for a block that has the fewest warps; among equals, the first in the order of SMs.
std::size_t BlockScheduler::emptiest(const Running& launch) const {
  std::size_t best = sms_.size();
  for (const std::size_t sm : order_.sms())
    if (fits(launch, sm) && (best == sms_.size() || uses_[sm].warps < uses_[best].warps)) best = sm;
  return best;
}

/// Gives blocks of the launches, launch by launch, to SMs with room. Ends at the first launch whose next block fits on
/// no SM.
void BlockScheduler::spread(LaunchIndex launch, Cycle earliest) {
  for (; launch != kNone; launch = head()) {
    Running& running = launches_[launch];
    for (; running.next != running.total;) {
      const std::size_t sm = emptiest(running);
      if (sm == sms_.size()) return;
      place(launch, sm, std::max({earliest, free_from_[sm], running.from}));
    }
  }
}

/// After the end of a block on `sm` has been registered.
void BlockScheduler::refill(std::size_t sm, Cycle registered) {
  const LaunchIndex launch = head();
  if (launch == kNone) return;
  Running& running = launches_[launch];
  const auto next = [&] { place(launch, sm, std::max(registered + delay_, running.from)); };
  if (launches_.size() == 1) return next();
  while (running.next != running.total && fits(running, sm)) next();
  if (running.next == running.total) spread(head(), registered + lookahead_);
}

void BlockScheduler::count(Running& launch, std::size_t sm, int blocks) {
  const auto change = [&](std::uint64_t& sum, std::uint64_t each) { sum = blocks > 0 ? sum + each : sum - each; };
  launch.on_sm[sm] += static_cast<std::uint32_t>(blocks);
  change(uses_[sm].blocks, 1);
  change(uses_[sm].warps, launch.fit.warps_per_block);
  change(uses_[sm].registers, launch.fit.registers_per_block);
  change(uses_[sm].shared, launch.fit.shared_per_block);
}

void BlockScheduler::thin(Cycle end) {
  phases_.thinning = std::min(phases_.thinning, end);
  ++thinning_.count;
  thinning_.cycles += end.value;
  phases_.idle_slots = thinning_.count * phases_.last_end.value - thinning_.cycles;
}

void BlockScheduler::place(LaunchIndex number, std::size_t sm, Cycle at) {
  Running& running = launches_[number];
  Cycle& launch = next_launch_[sms_[sm]->id().value];
  launch = std::max(launch, at);
  if (launch < known_)
    throw std::logic_error("a thread block starts in the past: the epoch is longer than the lookahead");
  auto block = ahead_.take(*running.source, BlockId(running.next++));
  const BlockId id(trace::block_index(running.source->kernel().grid, block->id));
  if (placed_) placed_(id, sms_[sm]->id());
  BlockArrival how{number, std::nullopt};
  if (Use& use = uses_[sm]; use.blocks == 0 && use.carveout != running.fit.carveout)
    how.carveout = use.carveout = running.fit.carveout;
  count(running, sm, 1);
  sms_[sm]->place(std::move(block), id, launch, how);
  launch = launch + 1;
}

void BlockScheduler::skip(std::uint64_t blocks) {
  Running& only = launches_.front();
  if (launches_.size() != 1 || blocks > only.total - only.next)
    throw std::logic_error("more thread blocks are skipped than are left");
  only.next += blocks;
  only.skipped += blocks;
}

std::shared_ptr<const trace::BlockTrace> BlockScheduler::find(BlockId id) {
  const Running& only = launches_.front();
  const auto place_of = [&](const trace::BlockTrace& block) {
    return BlockId(trace::block_index(only.source->kernel().grid, block.id));
  };
  if (id.value < only.total)
    if (auto block = only.source->block(id); place_of(*block) == id) return block;
  if (placed_as_.empty())
    for (std::uint64_t number = 0; number < only.next; ++number)
      placed_as_.emplace(place_of(*only.source->block(BlockId(number))), BlockId(number));
  const auto found = placed_as_.find(id);
  if (found == placed_as_.end()) throw InputError("the checkpoint's thread block {} is not in this trace", id.value);
  return only.source->block(found->second);
}

/// The GPU has registered the end of a block.
void BlockScheduler::ended(const BlockEnd& end) {
  Running& launch = launches_[end.launch];
  ++launch.completed;
  launch.last_end = std::max(launch.last_end, end.registered);
  count(launch, end.sm, -1);
  free_from_[end.sm] = end.registered + delay_;
  phases_.last_end = std::max(phases_.last_end, end.time);
  if (launch.next == launch.total) thin(end.time);
  refill(end.sm, end.registered);
}

void BlockScheduler::exchange(Cycle now) {
  for (std::size_t i = 0; i < sms_.size(); ++i) {
    for (const Sm::Completion& completion : sms_[i]->completions()) ends_.add(i, completion.time, completion.launch);
    sms_[i]->completions().clear();
  }
  known_ = now;
  while (const auto end = ends_.dequeue(now)) ended(*end);
}

}  // namespace sassim::arch
