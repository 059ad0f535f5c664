// SPDX-License-Identifier: Apache-2.0
// Reads the process's mappings, with nothing on the heap whose size differs from run to run.
#include "sim/base/host_maps.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace sassim {

HostMaps host_maps() {
  constexpr std::size_t kLongestLine = 8192;
  HostMaps maps;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/maps", "re"), std::fclose);
  if (!file) return maps;
  std::vector<char> line(kLongestLine);
  while (std::fgets(line.data(), static_cast<int>(line.size()), file.get()) != nullptr) {
    // BEGIN-END RIGHTS OFFSET DEVICE INODE NAME
    HostMap map;
    char* at = nullptr;
    map.begin = std::strtoull(line.data(), &at, 16);
    if (*at != '-') continue;
    map.end = std::strtoull(at + 1, &at, 16);
    if (std::strlen(at) < std::strlen(" rwxp ")) continue;
    map.readable = at[1] == 'r';
    map.writable = at[2] == 'w';
    const char* const device = std::strchr(at + std::strlen(" rwxp "), ' ');
    const char* const inode = device != nullptr ? std::strchr(device + 1, ' ') : nullptr;
    if (inode == nullptr) continue;
    map.file = std::strtoull(inode, &at, 10) != 0;
    const std::string_view name = at + std::strspn(at, " ");
    map.stack = name.starts_with("[stack]");
    map.heap = name.starts_with("[heap]");
    maps.push_back(map);
  }
  return maps;
}

}  // namespace sassim
