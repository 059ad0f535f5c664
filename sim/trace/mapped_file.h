// SPDX-License-Identifier: Apache-2.0
// A trace file mapped into memory, which stays readable whatever happens to its name and to the process's descriptors:
// for a replay in the process that recorded it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sassim::trace {

class MappedFile {
 public:
  /// Nobody may shorten the file afterwards. Throws InputError with the system's reason.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  /// These bytes need not be in memory any more: they were read.
  void release(std::uint64_t offset, std::uint64_t count) const;

 private:
  std::string path_;
  std::span<const std::uint8_t> bytes_;
};

}  // namespace sassim::trace
