// SPDX-License-Identifier: Apache-2.0
// The memory mappings of this process, as the system says (/proc/self/maps).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/page_allocator.h"

namespace sassim {

inline constexpr std::uint64_t kHostPage = 4096;  ///< bytes

struct HostMap {
  std::uint64_t begin = 0, end = 0;
  bool readable = false, writable = false;
  bool file = false;  ///< a file's contents, which may end before the mapping does
  bool stack = false, heap = false;
};

/// Their number differs from run to run: the system places libraries side by side, or apart.
using HostMaps = std::vector<HostMap, PageAllocator<HostMap>>;

/// By rising address; empty where the system does not say it.
HostMaps host_maps();

}  // namespace sassim
