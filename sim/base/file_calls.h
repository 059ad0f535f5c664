// SPDX-License-Identifier: Apache-2.0
// System calls that write files, in a table: a test can replace each by one that fails. The entries of a folder.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sassim {

struct FileCalls {
  int (*open)(const char* path, int flags, mode_t mode);
  ssize_t (*write)(int descriptor, const void* bytes, std::size_t count);
  int (*fsync)(int descriptor);
  int (*close)(int descriptor);
  int (*link)(int descriptor, const char* path);  ///< gives an unnamed file its first name
  int (*rename)(const char* from, const char* to);
};

/// The calls that all files use.
FileCalls& file_calls();

/// Paths of the folder's entries, sorted by name; empty if the folder does not exist or cannot be read. If memory is
/// exhausted, libstdc++ 12's iterator of std::filesystem ends the process; this function throws std::bad_alloc.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);

}  // namespace sassim
