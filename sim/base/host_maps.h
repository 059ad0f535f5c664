// SPDX-License-Identifier: Apache-2.0
// What the process has mapped, as the system says (/proc/self/maps).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sassim {

struct HostMap {
  std::uint64_t begin = 0, end = 0;
  bool readable = false, writable = false;
  bool file = false;  ///< a file's contents, which may end before the mapping does
  std::string name;   ///< of the file, or "[stack]" or "[heap]"
};

/// By rising address; empty where the system does not say it.
std::vector<HostMap> host_maps();

}  // namespace sassim
