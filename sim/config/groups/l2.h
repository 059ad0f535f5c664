// SPDX-License-Identifier: Apache-2.0
// Configuration of the L2 cache. fields_l2.cpp says what each member means.
#pragma once

#include <cstdint>
#include <string>

namespace sassim::config {

struct L2Config {
  std::uint64_t size = 6u << 20;
  std::uint32_t slices = 64, ways = 16, line = 128;
  bool end_barriers = false;
  std::string replacement = "lru";
  std::string hash = "mix";
  std::string set_hash = "fold";
  std::uint64_t page = 0;
  std::uint32_t interleave = 512;
  struct {
    std::uint32_t members = 1, span = 0;
  } group;
  std::uint32_t fetch = 64;
  struct {
    std::uint32_t ways = 0, partial_ways = 0;
    bool reread = false;
  } dirty;
  std::uint32_t write_sector = 32;
  std::uint32_t write_partial = 32;
  std::uint32_t write_merge = 0;
  bool byte_masks = false;
  std::string write = "back";
  std::uint32_t latency = 45;
  std::uint32_t bytes_per_cycle = 32;
  std::uint32_t pending_requests = 128;
  std::uint32_t atomic_latency = 18;
  std::uint32_t atomic_return = 0;
  double atomic_sector_latency = 2.6;
  double atomic_lane_latency = 1.65;
  double atomic_partial_interval = 0;
  double atomic_float_interval = 0;
  double atomic_turn = 0;
  double atomic_minimum = 1;
  double atomic_result_minimum = 1;
};

}  // namespace sassim::config
