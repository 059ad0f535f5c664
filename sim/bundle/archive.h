// SPDX-License-Identifier: Apache-2.0
// The container of a bundle: a tar file (ustar) compressed with zstd, which `tar --zstd -xf` unpacks too. Every part
// begins a zstd frame, frames hold at most 1 MiB and have checksums, and a last frame, which zstd skips, holds the
// XXH64 of all bytes before it. The same parts give the same bytes. docs/reproduce.md is the contract.
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

/// The size and hash that a file has now. Throws InputError when it cannot be read.
Part measure(std::string name, const std::filesystem::path& file);

struct HashState;

/// The XXH64 of what comes piece by piece.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();
  void add(std::string_view bytes);
  std::uint64_t value() const;

 private:
  std::unique_ptr<HashState> state_;
};

/// Names may have up to 99 characters. The file gets its name in finish().
class ArchiveWriter {
 public:
  explicit ArchiveWriter(const std::filesystem::path& path);
  void add(const std::string& name, std::string_view text);
  /// Throws InputError when the file is no longer what `part` says.
  void add_file(const Part& part, const std::filesystem::path& file);
  void finish();

 private:
  void begin(const std::string& name, std::uint64_t bytes);
  void put(std::string_view bytes);
  void pad(std::uint64_t bytes);
  void end_frame();

  DurableFile file_;
  RunningHash hash_;
  std::string frame_;                       ///< content that no frame holds yet
  std::uint64_t content_ = 0, stored_ = 0;  ///< bytes so far
};

struct Decompressor;

/// Reads the parts in the order in which they were written. What it unpacks is limited by the size of the file. Every
/// fault is an InputError that names the file, the byte and the part.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::filesystem::path& path);
  ~ArchiveReader();

  /// The next part, which must have this name and at most `most` bytes.
  std::string text(const std::string& name, std::uint64_t most);
  /// The next part, which must be this one, to a file that is not there yet.
  void extract(const Part& part, const std::filesystem::path& to);
  /// Nothing follows, and no byte of the file was changed.
  void expect_end();
  /// Throws the InputError of this place.
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
  std::uint64_t stored_ = 0, taken_ = 0;   ///< compressed bytes: in the file, and read
  std::uint64_t content_ = 0, limit_ = 0;  ///< unpacked bytes: so far, and at most
  std::uint64_t sum_ = 0;                  ///< the hash at the end of the file
};

}  // namespace sassim::bundle
