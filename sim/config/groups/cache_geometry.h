// SPDX-License-Identifier: Apache-2.0
// Configuration of a cache: its size and shape. fields_gpu.cpp says what each member means.
#pragma once

#include <cstdint>

namespace sassim::config {

struct CacheGeometry {
  std::uint64_t size = 0;
  std::uint32_t line = 128;
  std::uint32_t ways = 4;
};

}  // namespace sassim::config
