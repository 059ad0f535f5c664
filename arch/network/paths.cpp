// SPDX-License-Identifier: Apache-2.0
// Reads and checks the latencies of the network, and finds the lookahead: that of the fastest message.
#include "arch/network/paths.h"

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

Paths::Paths(const config::GpuConfig& config, const Topology& topology)
    : topology_(topology),
      request_(config.memory.crossbar.request_latency),
      reply_(config.memory.crossbar.reply_latency),
      between_halves_(config.memory.halves.latency),
      change_(config.memory.halves.change_latency),
      result_(config.memory.halves.result_latency),
      to_gpc_(config.memory.crossbar.request_latency / 2),
      sector_(config.memory.crossbar.sector_latency),
      merges_(config.memory.crossbar.merge.window != 0) {
  if (request_ == 0 || reply_ == 0)
    throw InputError("memory.crossbar: request_latency and reply_latency must be at least 1 cycle");
  if (merges_ && request_ < 2)
    throw InputError("memory.crossbar.request_latency is 1; loads that merge on their way need at least 2 cycles");
  if (topology.halves() > 1 && between_halves_ == 0)
    throw InputError("memory.halves.latency must be at least 1 cycle between the halves");
}

Cycle Paths::lookahead() const {
  const std::uint32_t requests = merges_ ? std::min(to_gpc_, request_ - to_gpc_) : request_;
  const std::uint32_t path = std::min(requests, reply_);
  return Cycle{topology_.halves() > 1 ? std::min(path, between_halves_) : path};
}

std::uint64_t Paths::further_sectors(std::uint32_t sectors) const {
  return static_cast<std::uint64_t>(std::lround(sector_ * sectors));
}

}  // namespace sassim::arch
