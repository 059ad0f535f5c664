// SPDX-License-Identifier: Apache-2.0
// Configuration of the caches of constants. fields_front_end.cpp says what each member means.
#pragma once

#include <cstdint>

#include "sim/config/groups/cache_geometry.h"

namespace sassim::config {

struct ConstantCaches {
  CacheGeometry fixed{2048, 64, 4};
  CacheGeometry indexed{2048, 64, 4};
  CacheGeometry variable{2048, 64, 4};
  std::uint32_t fixed_miss_latency = 79;
  std::uint32_t ldc_latency = 27;
  std::uint32_t ldc_pass = 2;
  std::uint32_t ldc_interval = 2;
  std::uint32_t ldc_uniform = 3;
  std::uint32_t l15_latency = 89;
  std::uint32_t ldc_ahead = 0;
  bool perfect = false;
};

}  // namespace sassim::config
