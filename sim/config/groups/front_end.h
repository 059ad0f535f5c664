// SPDX-License-Identifier: Apache-2.0
// Configuration of fetch: instruction caches and buffers. fields_front_end.cpp says what each member means.
#pragma once

#include <cstdint>

#include "sim/config/groups/cache_geometry.h"

namespace sassim::config {

struct FrontEnd {
  CacheGeometry l0{12288, 128, 3};
  bool l0_shared = false;
  CacheGeometry l1{131072, 128, 8};
  std::uint32_t instruction_buffer = 3;
  std::uint32_t fetch_width = 1;
  std::uint32_t prefetch_entries = 8;
  std::uint32_t l0_latency = 2;
  std::uint32_t l1_latency = 30;
  std::uint32_t fill_cycles = 18;
  std::uint32_t constant_delay = 0;
  std::uint32_t l1_lookup = 0;
  std::uint32_t l1_pending_requests = 6;
  struct {
    std::uint32_t interval = 1, sharers = 1, skew = 0;
  } gpc_constants;
  bool perfect = false;
};

}  // namespace sassim::config
