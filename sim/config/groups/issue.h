// SPDX-License-Identifier: Apache-2.0
// The issue stage.
#pragma once

#include <cstdint>
#include <string>

namespace sassim::config {

struct Issue {
  std::string scheduler = "greedy_youngest";
  std::uint32_t constant_miss_switch = 4;
  std::string dependence = "control_bits";
  std::uint32_t quirk_yield = 0, quirk_longest = 0, quirk_stall = 0;
  std::uint32_t yield_interval = 2;
  std::uint32_t branch_latency = 2;
  std::uint32_t indirect_latency = 0;
  std::uint32_t indirect_interval = 0;
  std::uint32_t sync_latency = 0;
  std::uint32_t give_way_latency = 0;
  std::uint32_t warp_sync_latency = 0;
  std::uint32_t warp_sync_interval = 1;
  std::uint32_t warp_join_latency = 0;
  std::uint32_t warp_join_interval = 1;
  bool full_warps = false, instant = false, open_barriers = false;
  bool threads_sleep = false;
  std::uint32_t exit_resolve = 0, exit_drain = 0;
};

}  // namespace sassim::config
