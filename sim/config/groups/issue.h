// SPDX-License-Identifier: Apache-2.0
// Configuration of the issue stage. fields_front_end.cpp says what each member means.
#pragma once

#include <cstdint>
#include <string>

namespace sassim::config {

struct Issue {
  std::string scheduler = "greedy_youngest";
  std::uint32_t constant_miss_switch = 4;
  std::string dependence = "control_bits";
  struct {
    std::uint32_t yield_zero = 0, longest = 0, beyond = 0;
  } stall_quirks;
  std::uint32_t yield_interval = 2;
  bool pairs = false;
  std::uint32_t interval = 0;
  std::uint32_t branch_latency = 2;
  struct {
    std::uint32_t latency = 0, interval = 0;
  } indirect;
  std::uint32_t sync_latency = 0;
  std::uint32_t give_way_latency = 0;
  struct {
    std::uint32_t latency = 0, interval = 1;
  } warp_sync;
  struct {
    std::uint32_t latency = 0, interval = 1;
  } warp_join;
  bool full_warps = false, instant = false, open_barriers = false;
  bool threads_sleep = false;
  struct {
    std::uint32_t resolve = 0, drain = 0;
  } exit;
};

}  // namespace sassim::config
