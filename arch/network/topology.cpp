// SPDX-License-Identifier: Apache-2.0
// Places SMs in GPCs and halves of the chip, and gives each pair of SM and L2 slice its distance.
#include "arch/network/topology.h"

#include <algorithm>
#include <numeric>

#include "sim/config/gpu_config.h"
#include "sim/config/groups/crossbar.h"

namespace sassim::arch {

Topology::Topology(const config::GpuConfig& config)
    : halves_(std::max(config.memory.halves.parts, 1u)),
      gpc_(std::max(config.sm.count, 1u)),
      half_(gpc_.size()),
      slices_(config.memory.l2.slices),
      half_slices_(std::max(slices_ / halves_, 1u)),
      spread_(config.memory.crossbar.spread) {
  place_sms(config);
  place_slices(config.memory.crossbar, config.memory.l2.group.members);
}

void Topology::place_sms(const config::GpuConfig& config) {
  const config::CrossbarConfig& crossbar = config.memory.crossbar;
  const config::Halves& halves = config.memory.halves;
  const auto sms = static_cast<std::uint32_t>(gpc_.size());
  if (crossbar.gpc_sms.empty()) {
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
      gpc_[sm] = static_cast<std::uint32_t>(std::uint64_t{sm} * kUnknownGpcs / sms);
      half_[sm] = std::uint64_t{sm} * 2 / sms != 0;
    }
    return;
  }
  // The order may name SMs that do not exist: on a part of a chip, the remaining SMs keep their places.
  std::vector<std::uint64_t> order = config.launch.sm_order;
  for (std::uint32_t sm = 0; sm < sms; ++sm)
    if (std::find(order.begin(), order.end(), sm) == order.end()) order.push_back(sm);
  gpcs_ = static_cast<std::uint32_t>(crossbar.gpc_sms.size());
  std::uint32_t gpc = 0;
  std::uint64_t end = crossbar.gpc_sms[0];
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    for (; i >= end && gpc + 1 < gpcs_; end += crossbar.gpc_sms[gpc]) ++gpc;
    if (order[i] >= sms) continue;
    gpc_[order[i]] = gpc;
    half_[order[i]] = gpc < halves.gpcs.size() && halves.gpcs[gpc] != 0;
  }
}

namespace {

/// The ranks, by distance, of the two slices of each group: those of two thirds of the groups are neighbours, the
/// others are far apart (validation/measured/h200.json.xz, l2.line.*): by 20 to 50 cycles where it was measured. Here
/// all these are 7/12 of the ranks apart, and none is among the nearest eighth of the slices. Sorted by the nearer
/// slice.
std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks_of_pairs(std::uint32_t slices) {
  constexpr std::uint32_t kNeighbours = 10;  // ranks among which neighbours are paired
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<bool> taken(slices);
  const std::uint32_t far = slices / 6, first = slices / 8, apart = slices * 7 / 12;
  for (std::uint32_t i = first; i < first + far; ++i) {
    pairs.emplace_back(i, i + apart);
    taken[i] = taken[i + apart] = true;
  }
  std::vector<std::uint32_t> single;
  for (std::uint32_t i = 0, end = 0; i < slices; i = std::max(end, i + 1)) {
    for (end = i; end < slices && end - i < kNeighbours && !taken[end];) ++end;
    const std::uint32_t half = (end - i) / 2;
    for (std::uint32_t j = i; j < i + half; ++j) pairs.emplace_back(j, j + half);
    if ((end - i) % 2 != 0) single.push_back(end - 1);
  }
  for (std::size_t i = 0; i + 1 < single.size(); i += 2) pairs.emplace_back(single[i], single[i + 1]);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

void Topology::place_slices(const config::CrossbarConfig& crossbar, std::uint32_t group) {
  step_ = (half_slices_ + gpcs_ - 1) / gpcs_;
  first_ = half_slices_ - crossbar.nearest % half_slices_;
  // Slices that follow each other in the address space are not neighbours on the chip.
  extra_.resize(half_slices_);
  if (half_slices_ < 2) return;
  const auto at = [this](std::uint32_t rank) {
    return static_cast<std::uint32_t>(std::uint64_t{rank} * spread_ / (half_slices_ - 1));
  };
  const bool paired = group == 2 && half_slices_ % 2 == 0 && step_ % 2 == 0;
  const std::uint32_t places = paired ? half_slices_ / 2 : half_slices_;
  std::uint32_t stride = std::max(places * 3 / 8, 1u);
  while (std::gcd(stride, places) != 1) ++stride;
  if (!paired) {
    for (std::uint32_t i = 0; i < half_slices_; ++i) extra_[i] = at(i * stride % half_slices_);
    return;
  }
  const auto pairs = ranks_of_pairs(half_slices_);
  const std::uint32_t odd = crossbar.nearest % 2;  // then place 0 is the second of its group
  for (std::uint32_t i = 0; i < places; ++i) {
    auto [a, b] = pairs[std::uint64_t{i} * stride % places];
    if (odd != 0) std::swap(a, b);
    extra_[(2 * i + half_slices_ - odd) % half_slices_] = at(a);
    extra_[2 * i + 1 - odd] = at(b);
  }
}

}  // namespace sassim::arch
