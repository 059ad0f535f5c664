// SPDX-License-Identifier: Apache-2.0
// Configuration of launches and copies: how long they take, and which SMs get the first blocks. fields_launch.cpp says
// what each member means.
#pragma once

#include <cstdint>
#include <vector>

namespace sassim::config {

struct Launch {
  std::uint32_t overhead_cycles = 5000;
  std::uint32_t event_cycles = 0;
  std::uint32_t stream_wait = 0;
  std::uint32_t copy_latency = 0;
  std::uint64_t copy_to_device = 0;
  std::uint64_t copy_to_host = 0;
  std::uint32_t device_copy_latency = 0;
  std::uint64_t device_copy = 0, cached_copy = 0, cached_copy_bytes = 0;
  std::uint64_t device_fill = 0;
  std::uint32_t latency = 0;
  struct {
    std::uint32_t count = 1, fetch_latency = 0, reuse_latency = 0;
  } places;
  std::uint32_t flush = 0;
  std::uint32_t write_flush = 0;
  double write_flush_interval = 0;
  double sm_interval = 0;
  double block_retire_interval = 0;
  std::uint64_t code_start = 0xdde00;
  std::uint64_t code_prefetch = 128u << 10;
  std::uint64_t state_bytes = 0;
  std::uint32_t cold_code_delay = 0;
  std::vector<std::uint64_t> sm_order;
  std::vector<std::uint64_t> group_sms;
  std::uint32_t first_group_turns = 0;
};

}  // namespace sassim::config
