// SPDX-License-Identifier: Apache-2.0
// The system calls that bring a file to the disk, in a table: a test replaces any of them by one that fails.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace sassim {

struct FileCalls {
  int (*open)(const char* path, int flags, mode_t mode);
  ssize_t (*write)(int descriptor, const void* bytes, std::size_t count);
  int (*fsync)(int descriptor);
  int (*close)(int descriptor);
  int (*link)(int descriptor, const char* path);  ///< gives a file without a name its first one
  int (*rename)(const char* from, const char* to);
};

/// What every file is written with.
FileCalls& file_calls();

}  // namespace sassim
