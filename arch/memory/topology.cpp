// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/topology.h"

#include <algorithm>

namespace sassim::arch {

Topology::Topology(const config::GpuConfig& config)
    : gpcs_(kUnknownGpcs), gpc_(std::max(config.sm.count, 1u)), upper_(gpc_.size()) {
  const config::CrossbarConfig& crossbar = config.memory.crossbar;
  const auto sms = static_cast<std::uint32_t>(gpc_.size());
  if (crossbar.gpc_sms.empty()) {
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
      gpc_[sm] = static_cast<std::uint32_t>(std::uint64_t{sm} * kUnknownGpcs / sms);
      upper_[sm] = std::uint64_t{sm} * 2 / sms != 0;
    }
    return;
  }
  // The order may name more SMs than there are: a part of a chip keeps its SMs where they were.
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
    upper_[order[i]] = gpc < crossbar.gpc_halves.size() && crossbar.gpc_halves[gpc] != 0;
  }
}

}  // namespace sassim::arch
