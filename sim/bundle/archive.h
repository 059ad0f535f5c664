// SPDX-License-Identifier: Apache-2.0
// The container of a bundle: a tar file (ustar) compressed with zstd, which `tar --zstd -xf` can unpack. Every part
// begins a new zstd frame; a frame holds at most 1 MiB and has a checksum. A last frame, which zstd skips, holds the
// XXH64 of all bytes before it. The same parts give the same bytes. The format is defined in docs/reproduce.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/durable_file.h"

namespace sassim::bundle {

struct Part {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  ///< XXH64 of the content
};

/// The present size and hash of a file. Throws InputError when it cannot be read.
Part measure(std::string name, const std::filesystem::path& file);

struct HashState;

/// Computes the XXH64 of data that comes in pieces.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();
  void add(std::string_view bytes);
  std::uint64_t value() const;

 private:
  std::unique_ptr<HashState> state_;
};

/// Names have at most 99 characters. The file gets its name in finish().
class ArchiveWriter {
 public:
  explicit ArchiveWriter(const std::filesystem::path& path);
  void add(const std::string& name, std::string_view text);
  /// Throws InputError if the file no longer matches `part`.
  void add_file(const Part& part, const std::filesystem::path& file);
  void finish();

 private:
  void begin(const std::string& name, std::uint64_t bytes);
  void put(std::string_view bytes);
  void pad(std::uint64_t bytes);
  void end_frame();

  DurableFile file_;
  RunningHash hash_;
  std::string frame_;                       ///< content that is not in a frame yet
  std::uint64_t content_ = 0, stored_ = 0;  ///< bytes so far
};

struct Decompressor;

/// Reads the parts in the order in which they were written. The size of the file limits the size of the unpacked data.
/// Every error is an InputError that names the file, the byte and the part.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::filesystem::path& path);
  ~ArchiveReader();

  /// Reads the next part, which must have this name and at most `most` bytes.
  std::string text(const std::string& name, std::uint64_t most);
  /// Unpacks the next part, which must be `part`, to a new file.
  void extract(const Part& part, const std::filesystem::path& to);
  /// Checks that nothing follows and that no byte of the file was changed.
  void expect_end();
  /// Throws InputError with the present place in the file.
  [[noreturn]] void damaged(std::string_view what) const;

 private:
  std::uint64_t stored_left() const { return stored_ - taken_; }
  bool refill();
  void read(char* to, std::size_t count);
  void skip_padding(std::uint64_t bytes);

  std::string path_, part_;
  std::ifstream file_;
  std::unique_ptr<Decompressor> decompressor_;
  RunningHash hash_;
  std::vector<char> input_;
  std::uint64_t stored_ = 0, taken_ = 0;   ///< compressed bytes: in the file; read so far
  std::uint64_t content_ = 0, limit_ = 0;  ///< unpacked bytes: so far; limit
  std::uint64_t sum_ = 0;                  ///< hash stored at the end of the file
};

}  // namespace sassim::bundle
