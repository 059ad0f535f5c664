// SPDX-License-Identifier: Apache-2.0
// Configuration of the network between SMs and L2. fields_memory.cpp says what each member means.
#pragma once

#include <cstdint>
#include <vector>

namespace sassim::config {

struct CrossbarConfig {
  std::uint32_t request_latency = 60;
  std::uint32_t reply_latency = 60;
  std::uint32_t request_bytes_per_cycle = 32;
  std::uint32_t reply_bytes_per_cycle = 80;
  std::uint32_t slice_request_bytes_per_cycle = 64;
  std::uint32_t slice_reply_bytes_per_cycle = 32;
  std::uint32_t flit = 32;
  std::uint32_t header = 8;
  std::uint32_t credits = 512;
  bool whole_store_header = true;
  std::uint32_t write_credits = 0;
  double sector_latency = 0;
  std::uint32_t spread = 0;
  std::uint32_t nearest = 0;
  std::vector<std::uint64_t> gpc_sms;
  struct {
    std::uint32_t window = 0;
    std::uint32_t most = 4;
    bool system = true;
    std::uint32_t system_lines = 1;
    bool split_copies = true;
  } merge;
};

}  // namespace sassim::config
