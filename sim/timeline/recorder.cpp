// SPDX-License-Identifier: Apache-2.0
// Follows blocks and warps in a run for --timeline, coarser where there are too many.
#include "sim/timeline/recorder.h"

#include <algorithm>

namespace sassim::timeline {

namespace {

constexpr std::uint64_t kFirstResolution = 16;  ///< cycles
constexpr std::size_t kMostIntervals = 1 << 14;

std::size_t spans_of(const SmTracks& tracks) {
  std::size_t count = 0;
  for (const Lane& lane : tracks.blocks) count += lane.spans().size();
  for (const auto& [place, lane] : tracks.warps) count += lane.spans().size();
  for (const auto& [place, lane] : tracks.states) count += lane.spans().size();
  return count;
}

}  // namespace

Recorder::Recorder(Selection selection, std::uint32_t sms, std::uint64_t spans) : selection_(std::move(selection)) {
  const std::uint64_t shown = selection_.sms.empty() ? sms : selection_.sms.size();
  spans_per_sm_ = std::max<std::uint64_t>(64, spans / std::max<std::uint64_t>(1, shown));
  sms_.resize(sms);
}

void Recorder::kernel_started(const trace::KernelInfo& kernel, Cycle at) { log_.started(kernel, at.value); }

void Recorder::kernel_ended(Cycle at, const arch::CountsOverTime& counts) {
  log_.ended(at.value, counts);
  log_.limit_intervals(kMostIntervals);
}

void Recorder::add(Sm& sm, Lane& lane, std::uint64_t from, std::uint64_t until, std::uint64_t label, bool joins) {
  from = std::max(from, selection_.window.from.value);
  until = std::min(until, selection_.window.until.value);
  if (from >= until) return;
  lane.add(from, until, label, sm.tracks.resolution, joins);
  if (++sm.added > spans_per_sm_ / 4) limit(sm);
}

void Recorder::limit(Sm& sm) {
  sm.added = 0;
  SmTracks& tracks = sm.tracks;
  while (spans_of(tracks) > spans_per_sm_ / 4 * 3) {
    tracks.resolution = std::max(kFirstResolution, 2 * tracks.resolution);
    for (Lane& lane : tracks.blocks) lane.coarsen(tracks.resolution);
    for (auto& [place, lane] : tracks.warps) lane.coarsen(tracks.resolution);
    for (auto& [place, lane] : tracks.states) lane.coarsen(tracks.resolution);
    if (tracks.resolution > std::uint64_t{1} << 60) return;  // a span for every row is the least
  }
}

void Recorder::warp_started(const arch::WarpName& name, Cycle at) {
  if (!shows(name.sm)) return;
  Sm& sm = sms_[name.sm.value];
  sm.warp_start[name.slot.value] = at.value;
  const auto [block, fresh] = sm.blocks.try_emplace(name.block.value, Block{at.value, 0, 0});
  ++block->second.warps;
  if (!fresh) return;
  const auto free = std::find(sm.lane_taken.begin(), sm.lane_taken.end(), false);
  block->second.lane = static_cast<std::uint32_t>(free - sm.lane_taken.begin());
  if (free == sm.lane_taken.end()) {
    sm.lane_taken.push_back(true);
    sm.tracks.blocks.emplace_back();
  } else {
    *free = true;
  }
}

/// The place of a thread block in its SM is the lane that it got: both are the first free one.
void Recorder::warp_resumed(const arch::WarpName& name, std::uint32_t place, Cycle start) {
  if (!shows(name.sm)) return;
  Sm& sm = sms_[name.sm.value];
  sm.warp_start[name.slot.value] = start.value;
  Block& block = sm.blocks.try_emplace(name.block.value, Block{start.value, place, 0}).first->second;
  block.start = std::min(block.start, start.value);
  ++block.warps;
  if (place >= sm.lane_taken.size()) {
    sm.lane_taken.resize(place + 1, false);
    sm.tracks.blocks.resize(place + 1);
  }
  sm.lane_taken[place] = true;
}

void Recorder::warp_ended(const arch::WarpName& name, Cycle at) {
  if (!shows(name.sm)) return;
  Sm& sm = sms_[name.sm.value];
  add(sm, sm.tracks.warps[name.slot.value], sm.warp_start[name.slot.value], at.value, name.block.value << 8 | name.warp,
      false);
  const auto block = sm.blocks.find(name.block.value);
  if (--block->second.warps != 0) return;
  const Block ended = block->second;
  sm.blocks.erase(block);
  sm.lane_taken[ended.lane] = false;
  add(sm, sm.tracks.blocks[ended.lane], ended.start, at.value, name.block.value, false);
}

void Recorder::state(const arch::WarpName& name, std::uint32_t line, arch::StallReason reason, Cycle from,
                     Cycle until) {
  if (!shows(name.sm) || !selection_.warps.contains(name.slot.value)) return;
  Sm& sm = sms_[name.sm.value];
  add(sm, sm.tracks.states[name.slot.value], from.value, until.value, std::uint64_t{line} << 8 | arch::index(reason),
      reason != arch::StallReason::selected);
}

void Recorder::issued(const arch::WarpName& name, std::uint32_t line, Cycle issue, Cycle) {
  state(name, line, arch::StallReason::selected, issue, issue + 1);
}

void Recorder::spent(const arch::WarpName& name, std::uint32_t line, arch::StallReason reason, Cycle from,
                     Cycle until) {
  state(name, line, reason, from, until);
}

}  // namespace sassim::timeline
