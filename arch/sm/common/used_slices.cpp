// SPDX-License-Identifier: Apache-2.0
// How long a fence waits for the answers of the L2 slices that its SM has used, by their distances.
#include "arch/sm/common/used_slices.h"

#include <algorithm>
#include <bit>

#include "arch/network/endpoint.h"
#include "sim/config/gpu_config.h"
#include "sim/config/groups/memory_io.h"

namespace sassim::arch {

UsedSlices::UsedSlices(const config::GpuConfig& config, SmId sm) : interval_(config.sm.memory_io.membar_l2.interval) {
  const config::MemoryIo& io = config.sm.memory_io;
  const bool waits = io.membar_l2.near != 0 || io.membar_l2.far != 0;
  if (!waits && !config.memory.l2.end_barriers) return;
  map_.emplace(config.memory);
  const Topology topology(config);
  const std::uint32_t slices = map_->slices(), half = slices / topology.halves();
  turn_.resize(slices);
  asked_.resize((slices + 63) / 64);
  for (std::uint32_t i = 0; i < half; ++i)
    for (std::uint32_t slice = i; slice < slices; slice += half) {  // the halves alternate (assumed)
      const bool far = topology.apart(Endpoint::of_sm(sm), Endpoint::of_slice(SliceId(slice)));
      const auto there_and_back = 2 * static_cast<std::uint32_t>(topology.distance(sm, SliceId(slice)).value);
      turn_[slice] = static_cast<std::uint32_t>(by_turn_.size());
      by_turn_.push_back({far, waits ? (far ? io.membar_l2.far : io.membar_l2.near) + there_and_back : 0});
    }
}

std::uint16_t UsedSlices::add(std::uint64_t address) {
  if (!map_) return MemRequest::kNoHome;
  const std::uint32_t home = map_->place(address).slice.value, turn = turn_[home];
  asked_[turn / 64] |= std::uint64_t{1} << turn % 64;
  return static_cast<std::uint16_t>(home);
}

void UsedSlices::start_kernel() { std::fill(asked_.begin(), asked_.end(), 0); }

UsedSlices::Answers UsedSlices::ask(bool everywhere) {
  if (everywhere)
    for (std::uint32_t turn = 0; turn < by_turn_.size(); ++turn) asked_[turn / 64] |= std::uint64_t{1} << turn % 64;
  Answers answers;
  std::uint32_t sent = 0;
  for (std::uint32_t word = 0; word < asked_.size(); ++word)
    for (std::uint64_t left = asked_[word]; left != 0; left &= left - 1, sent += interval_) {
      const Asked& asked = by_turn_[word * 64 + static_cast<std::uint32_t>(std::countr_zero(left))];
      answers.cycles = std::max(answers.cycles, sent + asked.cycles);
      ++(asked.far ? answers.far_slices : answers.near_slices);
    }
  std::fill(asked_.begin(), asked_.end(), 0);
  return answers;
}

}  // namespace sassim::arch
