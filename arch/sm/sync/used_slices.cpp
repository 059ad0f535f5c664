// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/sync/used_slices.h"

#include <algorithm>
#include <bit>

#include "arch/network/endpoint.h"

namespace sassim::arch {

UsedSlices::UsedSlices(const config::GpuConfig& config, SmId sm)
    : config_(config.sm.memory_io), map_(config.memory.l2), order_(map_.slices()), asked_((map_.slices() + 63) / 64) {
  const Topology topology(config);
  std::vector<std::uint32_t> slices;  // the two halves in turn (assumed)
  const std::uint32_t half = map_.slices() / topology.halves();
  for (std::uint32_t i = 0; i < half; ++i)
    for (std::uint32_t slice = i; slice < map_.slices(); slice += half) slices.push_back(slice);
  for (std::uint32_t turn = 0; turn < slices.size(); ++turn) {
    order_[slices[turn]] = turn;
    far_.push_back(topology.apart(Endpoint::of_sm(sm), Endpoint::of_slice(slices[turn])));
    distance_.push_back(2 * static_cast<std::uint32_t>(topology.distance(sm, slices[turn]).value));
  }
}

std::uint32_t UsedSlices::add(std::uint64_t address) {
  const std::uint32_t home = map_.place(address).slice, turn = order_[home];
  asked_[turn / 64] |= std::uint64_t{1} << turn % 64;
  return home;
}

void UsedSlices::clear() { std::fill(asked_.begin(), asked_.end(), 0); }

UsedSlices::Answers UsedSlices::ask(bool everywhere) {
  if (everywhere)
    for (std::uint32_t turn = 0; turn < order_.size(); ++turn) asked_[turn / 64] |= std::uint64_t{1} << turn % 64;
  Answers answers;
  std::uint32_t sent = 0;
  for (std::uint32_t word = 0; word < asked_.size(); ++word)
    for (std::uint64_t left = asked_[word]; left != 0; left &= left - 1, sent += config_.membar_interval) {
      const std::uint32_t turn = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint32_t way = (far_[turn] ? config_.membar_far : config_.membar_near) + distance_[turn];
      answers.cycles = std::max(answers.cycles, sent + way);
      ++(far_[turn] ? answers.far : answers.near);
    }
  clear();
  return answers;
}

}  // namespace sassim::arch
