// SPDX-License-Identifier: Apache-2.0
// Lists a folder, sorted by name, with the calls of C.
#include "sim/base/folder_entries.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace sassim {

std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  std::vector<std::filesystem::path> found;
  if (!open) return found;
  while (const dirent* entry = readdir(open.get()))
    if (const std::string_view name = entry->d_name; name != "." && name != "..") found.push_back(folder / name);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace sassim
