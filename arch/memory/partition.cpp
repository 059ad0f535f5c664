// SPDX-License-Identifier: Apache-2.0
// Advances the L2 slices and DRAM channels of a memory partition through an epoch, in the order of their two clocks.
#include "arch/memory/partition.h"

#include <algorithm>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

Partition::Partition(const config::GpuConfig& config, const SliceMap& map, Network& network, std::uint32_t index)
    : map_(map),
      config_(config.memory),
      topology_(network.topology()),
      network_(network.attach(Endpoint::of_slice(SliceId(index * PartitionShape(config.memory).slices)),
                              PartitionShape(config.memory).slices)),
      index_(index),
      first_slice_(index * PartitionShape(config.memory).slices),
      code_by_gpc_(config.sm.front_end.gpc_constants.sharers > 1),
      sm_to_l2_(config.clock.sm, config.clock.l2),
      l2_to_sm_(sm_to_l2_.inverse()),
      l2_to_dram_(config.clock.l2, config.clock.dram),
      dram_to_l2_(l2_to_dram_.inverse()),
      channels_(config, index),
      links_(config, map, topology_, network_, channels_, slices_, first_slice_) {
  const std::uint32_t count = PartitionShape(config.memory).slices;
  slices_.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) slices_.emplace_back(config.memory, SliceId(first_slice_ + i), links_);
}

L2Cycle Partition::next_l2() const {
  L2Cycle next = channels_.next_fill();
  const auto at = [this](const auto& inbox) { return inbox.empty() ? kNeverL2 : sm_to_l2_.up(inbox.front().time); };
  next = std::min({next, at(network_.requests()), at(network_.replies())});
  for (const L2Slice& slice : slices_) next = std::min(next, slice.next_event());
  return next;
}

void Partition::plan() {
  std::size_t channel = 0;
  const L2Cycle next = std::min(next_l2(), dram_to_l2_.down(channels_.next_event(channel)));
  next_ = l2_to_sm_.down(next);
}

/// Handles the cycles of both clocks in one order. An L2 cycle comes before the DRAM cycle at or after it, so that DRAM
/// sees what the slices send in that cycle. Data from DRAM reach the slices in the next L2 cycle.
void Partition::advance(Cycle until) {
  const L2Cycle end = sm_to_l2_.up(until);
  const DramCycle dram_end = l2_to_dram_.up(end);
  L2Cycle l2 = next_l2();
  for (;;) {
    std::size_t channel = 0;
    const DramCycle dram = channels_.next_event(channel);
    if (dram != kNeverDram && (l2 == kNeverL2 || l2_to_dram_.up(l2) > dram)) {
      if (dram >= dram_end) break;
      l2 = step_dram(channel, dram) ? next_l2() : std::min(l2, channels_.next_fill());
    } else {
      if (l2 >= end) break;
      step_l2(l2);
      l2 = next_l2();
    }
  }
  plan();
}

/// Performs one action: a fill first, since fills make room; else an arrival; else the work of a slice.
void Partition::step_l2(L2Cycle now) {
  if (channels_.next_fill() <= now) {
    const MemoryChannels::Fill fill = channels_.pop_fill();
    slices_[fill.slice].filled(fill.pending, fill.sectors, now);
  } else if (auto& replies = network_.replies(); !replies.empty() && sm_to_l2_.up(replies.front().time) <= now) {
    const MemReply fill = replies.front();
    replies.pop();
    accept(fill, now);
  } else if (auto& requests = network_.requests(); !requests.empty() && sm_to_l2_.up(requests.front().time) <= now) {
    const MemRequest request = requests.front();
    requests.pop();
    accept(request, now);
  } else {
    for (L2Slice& slice : slices_)
      if (slice.next_event() <= now) return slice.work(now);
  }
}

/// True if slices may work again that could not write; otherwise only a fill may have been added to their work.
bool Partition::step_dram(std::size_t channel, DramCycle now) {
  channels_.work(channel, now);
  bool any = false;
  for (L2Slice& slice : slices_)
    if (slice.waits_for_writes() && channels_.can_write()) {
      slice.unblock(dram_to_l2_.up(now));
      any = true;
    }
  return any;
}

void Partition::accept(const MemRequest& request, L2Cycle now) {
  const SliceMap::Place place = map_.place(request.address);
  const SliceId slice = request.to.slice();
  const bool copy = place.slice != slice;  // copies are in the twin of the home slice
  SliceRequest r{.request = request, .line = place.line, .copy = copy};
  r.sectors = static_cast<std::uint16_t>(request.sectors << place.first_sector);
  r.partial = static_cast<std::uint16_t>(request.partial << place.first_sector);
  r.passed_on = request.from.is_sm() && topology_.apart(request.from, request.to);
  if (code_by_gpc_ && is_code(request.kind) && request.from.is_sm()) {
    r.by_gpc = true;
    r.gpc = topology_.gpc(request.from.sm());
  }
  if (copy && changes_line(request.kind) && !slices_[local(slice)].holds(r)) {
    if (request.kind == RequestKind::store) slices_[local(slice)].let_pass(now);
    return links_.pass_on(slice, r, slices_[local(slice)].port().admit(request, now));
  }
  if (observer_ != nullptr && !(copy && changes_line(request.kind))) observe(slice, r);
  slices_[local(slice)].arrive(r, now);
}

void Partition::observe(SliceId slice, const SliceRequest& r) {
  if (r.request.kind == RequestKind::invalidate) return;
  const bool store = r.request.kind == RequestKind::store;
  observer_->l2_access(slice.value, {LineTag{r.line, r.copy}.code(), r.sectors, r.partial,
                                     store ? CacheAccess::Kind::write : CacheAccess::Kind::read});
}

/// Sectors of a copy have arrived from the other half.
void Partition::accept(const MemReply& fill, L2Cycle now) {
  const SliceMap::Place place = map_.place(fill.address);
  slices_[local(fill.to.slice())].filled(fill.tag, static_cast<std::uint16_t>(fill.sectors << place.first_sector), now);
}

}  // namespace sassim::arch
