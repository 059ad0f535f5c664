// SPDX-License-Identifier: Apache-2.0
// Places the warps of an arriving thread block in the processing blocks of an SM, and frees their places at its end.
#include "arch/sm/allocate/allocator.h"

#include <algorithm>

#include "sim/config/gpu_config.h"
#include "sim/config/groups/occupancy.h"

namespace sassim::arch {

namespace {

/// When an SM has warps.
const struct AllocatorCounters {
  stats::Count active{"sm__cycles_active.sum", "cycle", "cycles with at least one warp on the SM, summed over the SMs"};
  stats::Largest most_active{"sm__cycles_active.max", "cycle",
                             "cycles with at least one warp, of the SM with the most such cycles"};
  stats::Smallest least_active{"sm__cycles_active.min", "cycle",
                               "cycles with at least one warp, of the SM with the fewest such cycles"};
  stats::Count blocks{"sm__ctas_launched.sum", "block", "thread blocks that ran"};
} kResident;

}  // namespace

Allocator::Allocator(const config::GpuConfig& config, SmId sm, Parts& parts, SmSync& sync)
    : config_(config.sm.occupancy), sm_(sm), parts_(parts), sync_(sync) {
  const std::size_t warps = (config_.warps + parts.size() - 1) / parts.size();
  warps_.assign(parts.size(), std::vector<std::uint32_t>(warps, 0));
}

void Allocator::start_kernel(std::uint32_t blocks) {
  residents_.assign(blocks, Resident{});
  for (auto& places : warps_) std::fill(places.begin(), places.end(), 0);
  active_cycles_ = blocks_done_ = 0;
  age_ = block_age_ = 0;
  next_part_ = 0;
  next_warp_ = {};
}

std::uint32_t Allocator::free_warp(std::size_t part) const {
  const auto& places = warps_[part];
  return static_cast<std::uint32_t>(std::find(places.begin(), places.end(), 0u) - places.begin());
}

/// The processing block with the fewest warps, which is assumed. Among equals, the first one behind that in which the
/// previous thread block started: on an H200, thread blocks of one warp go to the processing blocks in turn
/// (validation/measured/h200/launches.md#block-placement).
std::size_t Allocator::first_part() const {
  std::size_t first = next_part_;
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    const std::size_t other = (next_part_ + i) % parts_.size();
    if (parts_[other]->resident() < parts_[first]->resident()) first = other;
  }
  return first;
}

/// Warp w goes to processing block (first + w) modulo their number, or to the next one with a free warp.
void Allocator::start_block(Arrival& arrival, Cycle now) {
  std::uint32_t place = 0;
  while (residents_[place].trace) ++place;
  Resident& resident = residents_[place];
  resident.trace = std::move(arrival.trace);
  resident.id = arrival.id;
  resident.launch = arrival.how.launch;
  const auto& warps = resident.trace->warps;
  resident.warps_left = static_cast<std::uint32_t>(warps.size());
  if (resident.trace->live != nullptr) resident.trace->live->place(sm_);
  if (resident_blocks_++ == 0) active_since_ = now;
  sync_.start_block(place, resident.warps_left);

  const auto parts = static_cast<std::uint32_t>(parts_.size());
  const std::size_t first = first_part();
  next_part_ = (first + 1) % parts;
  next_warp_ = std::max(next_warp_, now);
  for (std::uint32_t w = 0; w < warps.size(); ++w) {
    std::size_t part = (first + w) % parts;
    while (free_warp(part) == warps_[part].size()) part = (part + 1) % parts;
    const WarpIndex warp(free_warp(part));
    warps_[part][warp] = place + 1;
    const auto hardware_warp =
        std::uint32_t{sm_.value} * config_.warps + warp * parts + static_cast<std::uint32_t>(part);
    const WarpPlacement placement{
        warp, place, w, arrival.id, age_++, block_age_, hardware_warp * kWarpSize, arrival.how.launch, next_warp_};
    next_warp_ = next_warp_ + config_.warp_interval;
    if (resident.trace->live != nullptr)
      parts_[part]->place(placement, resident.trace->live->warp(w), now);
    else
      parts_[part]->place(placement, warps[w]->cursor(), now);
  }
  ++block_age_;
}

void Allocator::collect(Cycle now) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    for (WarpIndex warp : parts_[part]->ended()) {
      Resident& resident = residents_[warps_[part][warp] - 1];
      warps_[part][warp] = 0;
      if (--resident.warps_left != 0) continue;
      completions_.push_back({resident.id, now, resident.launch});
      resident.trace.reset();
      ++blocks_done_;
      if (--resident_blocks_ == 0) active_cycles_ += now.value - active_since_.value;
    }
    parts_[part]->ended().clear();
  }
}

void Allocator::attach(const FindBlock& find) {
  for (Resident& resident : residents_)
    if (resident.warps_left != 0) resident.trace = find(resident.id);
  for (Arrival& arrival : arrivals_) arrival.trace = find(arrival.id);
  for (std::size_t part = 0; part < parts_.size(); ++part)
    for (WarpIndex warp; warp < warps_[part].size(); ++warp)
      if (const std::uint32_t place = warps_[part][warp]; place != 0)
        parts_[part]->attach(warp, *residents_.at(place - 1).trace);
}

void Allocator::report(stats::CounterValues& values, Cycle now) const {
  const std::uint64_t active = active_cycles_until(now);
  values.sum(kResident.active, active);
  values.max(kResident.most_active, static_cast<double>(active));
  values.min(kResident.least_active, static_cast<double>(active));
  values.sum(kResident.blocks, blocks_done_);
}

}  // namespace sassim::arch
