// SPDX-License-Identifier: Apache-2.0
// How a small cache of whole lines is cut into sets. Any number of sets; no ways given: one set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

struct LineGeometry {
  explicit LineGeometry(const config::CacheGeometry& geometry)
      : line(geometry.line),
        ways(geometry.ways ? geometry.ways : static_cast<std::uint32_t>(geometry.size / line)),
        sets(static_cast<std::uint32_t>(geometry.size / (std::uint64_t{line} * ways))) {}
  std::size_t lines() const { return std::size_t{sets} * ways; }

  std::uint32_t line, ways, sets;
};

}  // namespace sassim::arch
