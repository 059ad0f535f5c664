// SPDX-License-Identifier: Apache-2.0
// How long an atomic or reduction occupies its L2 slice, and when its old value leaves: by sectors, lanes and type.
#include "arch/memory/atomic_unit.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sassim::arch {

AtomicUnit::Times AtomicUnit::execute(const SliceRequest& r, std::uint64_t tag, L2Cycle now) {
  const L2Cycle start = std::max(now, until_);
  free_ = busy_until(r, tag, std::max(static_cast<double>(now.value), free_));
  until_ = L2Cycle(static_cast<std::uint64_t>(free_));
  const double work =
      config_.atomic_sector_latency * std::popcount(r.sectors) + config_.atomic_lane_latency * r.request.atomic.serial;
  const std::uint64_t read = (start - now).value + static_cast<std::uint64_t>(std::lround(work));
  const bool returns = r.request.kind == RequestKind::atomic;
  return {read + (returns ? config_.atomic_return : 0), now + read + config_.atomic_latency};
}

/// When the unit is free again if it starts the request at `start`.
double AtomicUnit::busy_until(const SliceRequest& r, std::uint64_t tag, double start) {
  const auto sectors = static_cast<std::uint32_t>(std::popcount(r.sectors));
  if (config_.atomic_partial_interval == 0) {
    const double further = std::round(config_.atomic_lane_latency * (std::max<double>(r.request.atomic.serial, 1) - 1));
    return start + std::max(1.0, static_cast<double>(sectors)) + further;
  }
  const bool returns = r.request.kind == RequestKind::atomic;
  const auto known = std::find_if(operated_.begin(), operated_.end(), [&](const Operated& o) { return o.tag == tag; });
  const bool recent = known != operated_.end(), same_line = known == operated_.begin();
  if (!same_line) sector_ready_.fill(0);
  // An operation takes the new value directly from the previous operation if both are of the same kind. After an
  // operation of another kind or on another line, it waits until the line has been written.
  if (recent && (!same_line || known->returns != returns)) start = std::max(start, known->begun + config_.atomic_turn);
  std::rotate(operated_.begin(), recent ? known : operated_.end() - 1, recent ? known + 1 : operated_.end());
  operated_.front() = {tag, start, returns};
  double end = start;
  for (std::uint32_t i = 0; i < sector_ready_.size(); ++i) {
    if ((r.sectors >> i & 1) == 0) continue;
    // The next operation on the sector waits for the result of a floating-point operation.
    const double begin = r.request.atomic.floating ? std::max(end, sector_ready_[i]) : end;
    sector_ready_[i] = begin + config_.atomic_float_interval;
    end = begin + ((r.partial >> i & 1) != 0 ? config_.atomic_partial_interval : 1);
  }
  // Operands arrive at one sector per cycle; a compare-and-swap has two per lane.
  const double operands = r.request.data_bytes / static_cast<double>(kSectorBytes);
  const double least = returns ? config_.atomic_result_minimum : config_.atomic_minimum;
  return std::max({end, start + operands, start + (recent ? 0 : least)});
}

}  // namespace sassim::arch
