// SPDX-License-Identifier: Apache-2.0
// The system's own calls for writing files, which DurableFile uses unless a test replaces them, and for listing
// folders.
#include "sim/base/file_calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace sassim {

FileCalls& file_calls() {
  static FileCalls calls = {
      .open = [](const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); },
      .write = ::write,
      .fsync = ::fsync,
      .close = ::close,
      .link =
          [](int descriptor, const char* path) {
            // Not /proc/self: it shows no files any more when the first thread of the process has ended.
            const std::string from = "/proc/thread-self/fd/" + std::to_string(descriptor);
            return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path, AT_SYMLINK_FOLLOW);
          },
      .rename = [](const char* from, const char* to) { return ::rename(from, to); },
  };
  return calls;
}

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
