// SPDX-License-Identifier: Apache-2.0
#include "sim/base/host_maps.h"

#include <cinttypes>
#include <cstdio>
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
    HostMap map;
    char rights[8] = {};
    std::uint64_t inode = 0;
    int name = 0;
    if (std::sscanf(line.data(), "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %" SCNu64 " %n", &map.begin, &map.end, rights,
                    &inode, &name) < 4)
      continue;
    map.readable = rights[0] == 'r';
    map.writable = rights[1] == 'w';
    map.file = inode != 0;
    const std::string_view rest = line.data() + name;
    map.stack = rest.starts_with("[stack]");
    map.heap = rest.starts_with("[heap]");
    maps.push_back(map);
  }
  return maps;
}

}  // namespace sassim
