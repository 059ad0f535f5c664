// SPDX-License-Identifier: Apache-2.0
// The system's own calls for writing files, which DurableFile uses unless a test replaces them.
#include "sim/base/file_calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

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

}  // namespace sassim
