// SPDX-License-Identifier: Apache-2.0
// Decides when a sampled kernel is in a steady state, which thread blocks are skipped, and how sure the result is.
#include "arch/gpu/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/stats/interval.h"

namespace sassim::arch {

namespace {

constexpr double kSteadyThroughput = 0.02;  ///< chosen: largest change from the first half of a stretch to the second
constexpr double kSteadyInterval = 0.03;    ///< chosen: largest 95 % interval of a steady throughput
constexpr double kSteadyTraffic = 0.02;     ///< chosen: largest change of traffic and contents, of the DRAM's peak
constexpr std::uint64_t kMostPlaces = 8, kUsualPlaces = 4;  ///< chosen: besides the first one
constexpr double kOtherPlaces = 0.01;  ///< chosen: half of an interval, for how others differ from one place or two
constexpr std::uint64_t kWavesOfPlace = 3;  ///< half of them fill the GPU, the others are measured

using stats::half_interval_of, stats::mean;

double change(std::uint64_t a, std::uint64_t b) { return std::abs(static_cast<double>(a) - static_cast<double>(b)); }

}  // namespace

std::uint64_t Sampler::sixteenth(Cycle now) const { return std::max(kShortest, (now.value - grid_.start.value) / 16); }

Sampler::Action Sampler::look(const Moment& now) {
  switch (phase_) {
    case Phase::filling:
      due_ = now.at + sixteenth(now.at);
      if (now.issued < grid_.turn / 2) return Action::none;
      phase_ = Phase::steady;
      return begin(now);
    case Phase::steady:
      return look_for_steady(now);
    case Phase::place:
      return look_at_place(now);
    case Phase::done:
      break;
  }
  return Action::none;
}

Sampler::Action Sampler::begin(const Moment& now) {
  moments_ = {now};
  if (phase_ == Phase::steady) interval_ = sixteenth(now.at);
  due_ = now.at + interval_;
  return Action::begin;
}

Sampler::Action Sampler::give_up(std::string why) {
  whole_ = std::move(why);
  phase_ = Phase::done;
  due_ = kNever;
  return Action::none;
}

/// A stretch is at least half as long as all before it, and as long as a turn of all slots.
Sampler::Action Sampler::look_for_steady(const Moment& now) {
  moments_.push_back(now);
  due_ = now.at + interval_;
  if (now.next + 2 * grid_.slots > grid_.blocks)
    return give_up("it had no steady state before most of its thread blocks had started");
  if (moments_.size() <= kParts) return Action::none;
  if (now.issued - moments_.front().issued < grid_.turn) {
    for (std::size_t i = 1; i <= kParts / 2; ++i) moments_[i] = moments_[2 * i];
    moments_.resize(kParts / 2 + 1);
    due_ = now.at + (interval_ *= 2);
    return Action::none;
  }
  if (!steady()) return begin(now);
  const std::vector<double> parts = part_rates();
  const double halves = std::abs(rate(0, kParts / 2) - rate(kParts / 2, kParts)) / 2 / mean(parts);
  first_half_interval_ = half_interval_of(parts) + halves;  // a change may go on
  plan(now);
  if (gap_ == 0) return give_up("it had no steady state before most of its thread blocks had started");
  return accept(now);
}

double Sampler::rate(std::size_t from, std::size_t to) const {
  return static_cast<double>(moments_[to].issued - moments_[from].issued) /
         static_cast<double>(moments_[to].at.value - moments_[from].at.value);
}

std::vector<double> Sampler::part_rates() const {
  std::vector<double> all;
  for (std::size_t i = 0; i < kParts; ++i) all.push_back(rate(i, i + 1));
  return all;
}

bool Sampler::steady() const {
  const Moment &first = moments_.front(), &middle = moments_[kParts / 2], &last = moments_.back();
  const double whole = rate(0, kParts), cycles = static_cast<double>(last.at.value - first.at.value);
  const double traffic = kSteadyTraffic * grid_.peak_bytes * cycles;
  return std::abs(rate(0, kParts / 2) - rate(kParts / 2, kParts)) <= kSteadyThroughput * whole &&
         half_interval_of(part_rates()) <= kSteadyInterval &&
         2 * change(middle.dram_bytes - first.dram_bytes, last.dram_bytes - middle.dram_bytes) <= traffic &&
         change(last.held_bytes, first.held_bytes) <= traffic;
}

/// Gaps are whole turns of all slots, so that the last, incomplete turn is as full as in the whole grid.
void Sampler::plan(const Moment& now) {
  const std::uint64_t slots = grid_.slots, left = grid_.blocks - now.next, least = kWavesOfPlace * slots;
  const auto wanted = static_cast<std::uint64_t>(grid_.share * static_cast<double>(grid_.blocks));
  const std::uint64_t budget = wanted > now.next ? wanted - now.next : 0;
  places_left_ = std::min(kMostPlaces, std::max(budget / least, std::min(kUsualPlaces, left / (16 * least))));
  length_ = places_left_ == 0 ? 0 : std::max(least, budget / places_left_);
  const std::uint64_t timed = places_left_ * length_;
  gap_ = left > timed ? (left - timed) / (places_left_ + 1) / slots * slots : 0;
}

Sampler::Action Sampler::accept(const Moment& now) {
  moments_.push_back(now);
  const Moment& first = moments_.front();
  rates_.push_back(rate(0, moments_.size() - 1));
  const double cycles_of_block = static_cast<double>(now.at.value - first.at.value) /
                                 static_cast<double>(std::max<std::uint64_t>(1, now.next - first.next));
  const std::uint64_t left = grid_.blocks - now.next;
  skip_ = places_left_ == 0 ? left / grid_.slots * grid_.slots : std::min(gap_, left);
  phase_ = places_left_ == 0 ? Phase::done : Phase::place;
  if (places_left_ != 0) --places_left_;
  position_ = now.next + skip_;
  interval_ = std::max<std::uint64_t>(kShortest / 4,
                                      static_cast<std::uint64_t>(cycles_of_block * static_cast<double>(length_) / 16));
  due_ = phase_ == Phase::done ? kNever : now.at + interval_;
  moments_.clear();
  return Action::skip;
}

Sampler::Action Sampler::look_at_place(const Moment& now) {
  due_ = now.at + interval_;
  if (moments_.empty()) return now.next < position_ + length_ / 2 ? Action::none : begin(now);
  return now.next < position_ + length_ ? Action::none : accept(now);
}

double Sampler::half_interval() const {
  if (rates_.size() < 3) {
    const double difference = std::abs(rates_.front() - rates_.back()) / (rates_.front() + rates_.back());
    return std::hypot(std::max(first_half_interval_, difference), kOtherPlaces);
  }
  return std::max(first_half_interval_, half_interval_of(rates_));
}

}  // namespace sassim::arch
