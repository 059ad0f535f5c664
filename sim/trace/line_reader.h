// SPDX-License-Identifier: Apache-2.0
// Reads text traces of other tools line by line; they may be plain, .gz or .xz.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::trace {

class LineReader {
 public:
  /// Throws InputError when the file cannot be opened.
  explicit LineReader(std::string path);
  ~LineReader();

  /// Reads a line without its line end. `line` is valid until the next call.
  bool next(std::string_view& line);
  std::uint64_t line() const { return line_; }
  const std::string& path() const { return path_; }
  /// Throws InputError "FILE:LINE: what".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  struct Source;  // a decompressor
  struct Gzip;
  struct Xz;

  std::string path_;
  std::unique_ptr<Source> source_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t line_ = 0;
  std::string kept_;  ///< a line that continues in the next buffer
};

}  // namespace sassim::trace
