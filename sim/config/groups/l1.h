// SPDX-License-Identifier: Apache-2.0
// Configuration of the L1 data cache. fields_memory_io.cpp says what each member means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sassim::config {

struct L1Config {
  std::uint64_t size = 131072;
  std::uint32_t line = 128, sector = 32;
  std::uint32_t sets = 4;
  std::string set_hash = "modulo";
  std::string replacement = "priorities";
  std::vector<std::uint64_t> tag_masks{0xb7ab5, 0x1ed5da, 0x2a94, 0x1332, 0x3c58};
  std::vector<std::uint64_t> sweep_masks{0x0e9184, 0x1ab748, 0x08a938, 0x16ddb0, 0x03aec8, 0x0de5d4, 0x07ff14};
  std::uint32_t sweep_rows = 5;
  std::uint32_t hit_latency = 28;
  std::uint32_t bytes_per_cycle = 128;
  std::uint32_t tags_per_cycle = 4;
  std::uint32_t tag_bytes = 0;
  std::uint32_t pending_requests = 512;
  std::uint32_t pending_loads = 0;
  std::uint32_t pending_merges = 32;
  std::uint32_t miss_queue = 32;
  std::uint32_t miss_latency = 4;
  std::uint32_t join_misses = 0;
  std::uint32_t lines_save = 0;
  std::uint32_t fill_latency = 8;
  std::string write_policy = "allocate";
  std::string allocate = "fill";
  struct {
    std::uint32_t lines = 0, hold = 0;
  } store_gather;
  std::uint32_t store_interval = 0;
  bool join_parts = true;
  bool atomic_waves = false;
  std::uint32_t detected_loss = 7168;
  bool perfect = false;
  bool coalesced = false;
};

}  // namespace sassim::config
