// SPDX-License-Identifier: Apache-2.0
// The part of a processing block that tracks the stall reason of every warp, and its beginning.
#include <algorithm>
#include <bit>

#include "arch/sm/processing_block.h"

namespace sassim::arch {

void ProcessingBlock::charge(Warp& warp, Cycle now) {
  if (now <= warp.since) return;
  const std::uint64_t cycles = now.value - warp.since.value;
  LineStalls& line = stalls_[warp.line];
  if (warp.reason == StallReason::not_selected) {
    const std::uint64_t busy = input(warp.resource).before(now) - warp.busy_before;
    const std::uint64_t held = dispatch_[static_cast<std::size_t>(warp.resource)] - warp.dispatch_before;
    line.cycles[index(refusal(warp.resource))] += busy;
    line.cycles[index(StallReason::dispatch_stall)] += held;
    line.cycles[index(StallReason::not_selected)] += cycles - busy - held;
  } else {
    line.cycles[index(warp.reason)] += cycles;
  }
  warp.accounted += cycles;
  warp.since = now;
}

void ProcessingBlock::update(std::uint32_t number, Cycle now) {
  Warp& warp = warps_[number];
  Cycle until = kNever;
  const StallReason reason = why_not(number, now, until);
  if (until != kNever) wake_at(number, until, now);
  const bool was_ready = warp.reason == StallReason::not_selected;
  if (reason == warp.reason && (!was_ready || in(ready_[static_cast<std::size_t>(warp.resource)], number))) return;
  charge(warp, now);
  if (was_ready) leave_ready(number);
  warp.reason = reason;
  if (reason != StallReason::not_selected) return;
  warp.resource = front(number).resource;
  const auto r = static_cast<std::size_t>(warp.resource);
  ready_[r] |= 1u << number;
  present_ |= 1u << r;
  warp.busy_before = input(warp.resource).before(now);
  warp.dispatch_before = dispatch_[r];
}

void ProcessingBlock::leave_ready(std::uint32_t number) {
  const Resource resource = warps_[number].resource;
  WarpMask& mask = ready_[static_cast<std::size_t>(resource)];
  mask &= ~(1u << number);
  if (mask == 0) present_ &= ~(1u << static_cast<std::uint32_t>(resource));
}

void ProcessingBlock::wake_at(std::uint32_t number, Cycle at, Cycle now) {
  // Beyond the ring the warp asks again on the way.
  const std::uint64_t slot = std::min(at.value, now.value + 63) % 64;
  wake_[slot] |= 1u << number;
  wake_slots_ |= 1ull << slot;
}

void ProcessingBlock::wake(Cycle now) {
  const std::uint64_t slot = now.value % 64;
  if ((wake_slots_ >> slot & 1) == 0) return;
  WarpMask due = wake_[slot];
  wake_[slot] = 0;
  wake_slots_ &= ~(1ull << slot);
  for (; due != 0; due &= due - 1) {
    const auto warp = static_cast<std::uint32_t>(std::countr_zero(due));
    if (!warps_[warp].resident) continue;
    if (buffers_[warp].path_unknown() && warps_[warp].hold == Hold::none) find_path(warp, now);
    update(warp, now);
  }
}

StallReason ProcessingBlock::slot_reason(Cycle now) const {
  // The slot gets the stall reason of the warp that the block would have preferred: the last one, else the youngest.
  if (resident_ == 0) return StallReason::no_warp;
  std::uint32_t preferred = view_.last;
  if (preferred >= warps_.size() || !warps_[preferred].resident) {
    preferred = kMaxBlockWarps;
    for (std::uint32_t w = 0; w < warps_.size(); ++w)
      if (warps_[w].resident && (preferred == kMaxBlockWarps || view_.age[w] > view_.age[preferred])) preferred = w;
  }
  const Warp& warp = warps_[preferred];
  if (warp.reason != StallReason::not_selected) return warp.reason;
  return input(warp.resource).busy(now) ? refusal(warp.resource) : StallReason::dispatch_stall;
}

}  // namespace sassim::arch
