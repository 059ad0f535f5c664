// SPDX-License-Identifier: Apache-2.0
#include "arch/network/topology.h"

#include <algorithm>
#include <numeric>

namespace sassim::arch {

Topology::Topology(const config::GpuConfig& config)
    : halves_(std::max(config.memory.l2.partitions, 1u)),
      gpc_(std::max(config.sm.count, 1u)),
      half_(gpc_.size()),
      slices_(config.memory.l2.slices),
      half_slices_(std::max(slices_ / halves_, 1u)),
      spread_(config.memory.crossbar.spread) {
  place_sms(config);
  place_slices(config.memory.crossbar);
}

void Topology::place_sms(const config::GpuConfig& config) {
  const config::CrossbarConfig& crossbar = config.memory.crossbar;
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
    half_[order[i]] = gpc < crossbar.gpc_halves.size() && crossbar.gpc_halves[gpc] != 0;
  }
}

void Topology::place_slices(const config::CrossbarConfig& crossbar) {
  step_ = (half_slices_ + gpcs_ - 1) / gpcs_;
  first_ = half_slices_ - crossbar.nearest % half_slices_;
  // Slices that follow each other in the address space are not neighbours on the chip.
  std::uint32_t stride = std::max(half_slices_ * 3 / 8, 1u);
  while (std::gcd(stride, half_slices_) != 1) ++stride;
  extra_.resize(half_slices_);
  for (std::uint32_t i = 0; half_slices_ > 1 && i < half_slices_; ++i)
    extra_[i] = static_cast<std::uint32_t>(std::uint64_t{i} * stride % half_slices_ * spread_ / (half_slices_ - 1));
}

}  // namespace sassim::arch
