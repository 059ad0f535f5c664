// SPDX-License-Identifier: Apache-2.0
// Watches every issue of a run of `sassim sweep`: throughput and latency of its steady state.
#include "sim/sweep/mix_observer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sassim::sweep {

namespace {

constexpr std::uint64_t kStep = 64;

template <class T>
T& entry(std::vector<T>& list, std::uint64_t at) {
  const auto index = static_cast<std::size_t>(at / kStep);
  if (index >= list.size()) list.resize(index + 1);
  return list[index];
}

}  // namespace

double SteadyState::lasting_groups() const { return warps > 0 ? groups * (to - from) / warps : 0; }

MixObserver::MixObserver(const MixKernel& kernel, std::uint32_t sms, std::uint32_t warps_per_sm)
    : lines_(kernel.lines),
      group_size_(kernel.group_size),
      turn_(kernel.groups_per_turn),
      sms_(sms),
      warps_per_sm_(warps_per_sm),
      loads_(kernel.bytes_per_load > 0),
      warps_(std::size_t{sms} * warps_per_sm) {}

void MixObserver::warp_started(const arch::WarpName& name, Cycle at) {
  warps_[std::size_t{name.sm.value} * warps_per_sm_ + name.slot.value].start = at.value;
}

void MixObserver::warp_ended(const arch::WarpName& name, Cycle at) {
  warps_[std::size_t{name.sm.value} * warps_per_sm_ + name.slot.value].end = at.value;
}

void MixObserver::issued(const arch::WarpName& name, std::uint32_t line, Cycle at, Cycle /*result*/) {
  const MixLine what = lines_[line];
  if (what.role == MixLine::Role::overhead) return;
  entry(issues_, at.value) += 1;
  Warp& warp = warps_[std::size_t{name.sm.value} * warps_per_sm_ + name.slot.value];
  if (warp.executed++ % group_size_ == 0) warp.groups.push_back(at.value);
  if (!loads_) return;
  std::uint64_t& load = warp.load[what.chain];
  if (load > 0) {
    Latencies& mean = entry(latencies_, load - 1);
    mean.sum += at.value - (load - 1);
    mean.count += 1;
  }
  load = what.role == MixLine::Role::other ? at.value + 1 : 0;
}

/// The groups that the warp had passed at a time, interpolated within a group.
double MixObserver::position(const Warp& warp, double at) {
  const auto next = std::upper_bound(warp.groups.begin(), warp.groups.end(), at, [](double time, std::uint64_t group) {
    return time < static_cast<double>(group);
  });
  const auto index = static_cast<double>(next - warp.groups.begin());
  if (next == warp.groups.begin() || next == warp.groups.end()) return std::max(0.0, index - 1);
  const auto began = static_cast<double>(*(next - 1));
  return index - 1 + (at - began) / (static_cast<double>(*next) - began);
}

double MixObserver::passed(double from, double to) const {
  double groups = 0;
  for (const Warp& warp : warps_) groups += position(warp, to) - position(warp, from);
  return groups / (to - from) / sms_;
}

/// Instructions per cycle and SM, weighted by Hann's window: warps that run in step issue in bursts, and a plain mean
/// would depend on the number of bursts in the interval.
double MixObserver::weighted_rate(double from, double to) const {
  double sum = 0, weights = 0;
  for (auto i = static_cast<std::size_t>(from / kStep); i < issues_.size(); ++i) {
    const double phase = ((static_cast<double>(i) + 0.5) * kStep - from) / (to - from);
    if (phase < 0) continue;
    if (phase > 1) break;
    const double weight = 1 - std::cos(2 * std::numbers::pi * phase);
    sum += weight * static_cast<double>(issues_[i]);
    weights += weight * kStep;
  }
  return weights > 0 ? sum / weights / sms_ : 0;
}

SteadyState MixObserver::steady_state() const {
  double last_start = 0, all_warm = 0, first_last = std::numeric_limits<double>::infinity();
  double resident = 0;
  for (const Warp& warp : warps_) {
    if (warp.groups.empty()) continue;
    last_start = std::max(last_start, static_cast<double>(warp.start));
    all_warm = std::max(all_warm, static_cast<double>(warp.groups.size() > turn_ ? warp.groups[turn_] : warp.end));
    first_last = std::min(first_last, static_cast<double>(warp.groups.back()));
    resident += 1;
  }
  SteadyState state;
  state.warps = resident / sms_;
  if (resident == 0 || first_last <= last_start + 1) return state;
  // The first turn of the loop fills the instruction caches. If the scheduler keeps some warps in it until others are
  // nearly done, at least a quarter of the time is left out.
  const double quarter = last_start + (first_last - last_start) / 4;
  state.from = all_warm < (last_start + first_last) / 2 ? std::max(all_warm, quarter) : quarter;
  state.to = first_last;
  const double middle = (state.from + state.to) / 2;
  state.groups = weighted_rate(state.from, state.to) / static_cast<double>(group_size_);
  state.first_half = passed(state.from, middle);
  state.second_half = passed(middle, state.to);
  Latencies all;
  for (std::size_t i = 0; i < latencies_.size(); ++i) {
    const double at = static_cast<double>(i * kStep);
    if (at < state.from || at + kStep > state.to) continue;
    all.sum += latencies_[i].sum;
    all.count += latencies_[i].count;
  }
  if (all.count > 0) state.memory_latency = static_cast<double>(all.sum) / static_cast<double>(all.count);
  return state;
}

double MixObserver::warp_latency() const {
  double sum = 0, count = 0;
  for (const Warp& warp : warps_)
    if (!warp.groups.empty()) {
      sum += static_cast<double>(warp.end - warp.start);
      count += 1;
    }
  return count > 0 ? sum / count : 0;
}

Timeline MixObserver::timeline(std::size_t entries) const {
  std::uint64_t end = 0;
  for (const Warp& warp : warps_) end = std::max(end, warp.end);
  Timeline line;
  const std::uint64_t bins = end / kStep + 1, merged = (bins + entries - 1) / entries;
  line.step = merged * kStep;
  const auto size = static_cast<std::size_t>((bins + merged - 1) / merged);
  line.ipc.assign(size, 0);
  for (std::size_t i = 0; i < issues_.size() && i / merged < size; ++i)
    line.ipc[i / merged] += static_cast<double>(issues_[i]) / static_cast<double>(line.step) / sms_;
  // A warp counts in each entry for the fraction of time in which it is resident.
  line.warps.assign(size, 0);
  const auto step = static_cast<double>(line.step);
  for (const Warp& warp : warps_) {
    if (warp.groups.empty()) continue;
    for (std::size_t i = warp.start / line.step; i <= warp.end / line.step && i < size; ++i) {
      const double from = std::max(static_cast<double>(warp.start), static_cast<double>(i) * step);
      const double to = std::min(static_cast<double>(warp.end), static_cast<double>(i + 1) * step);
      line.warps[i] += std::max(0.0, to - from) / step / sms_;
    }
  }
  return line;
}

}  // namespace sassim::sweep
