// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"

namespace sassim::isa {

/// A file in memory, which a program gets as its standard input. It disappears with this process.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::uint8_t> bytes) : descriptor_(memfd_create("sassim", MFD_CLOEXEC)) {
    keep_off_standard_streams();
    if (descriptor_ < 0) throw InputError("cannot make a file in memory: {}", std::strerror(errno));
    if (write_fully(descriptor_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()})) return;
    const int reason = errno;
    ::close(descriptor_);
    throw InputError("cannot write to a file in memory: {}", std::strerror(reason));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  int descriptor() const { return descriptor_; }

 private:
  /// A process without standard streams gives their numbers to its next files.
  void keep_off_standard_streams() {
    if (descriptor_ < 0 || descriptor_ > STDERR_FILENO) return;
    const int number = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int reason = errno;
    ::close(descriptor_);
    errno = reason;
    descriptor_ = number;
  }

  int descriptor_;
};

}  // namespace sassim::isa
