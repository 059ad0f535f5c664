// SPDX-License-Identifier: Apache-2.0
// The events of a campaign, one line with a checksum each; a line is on disk before any later step relies on it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim::campaign {

/// An append-only file of lines "CHECKSUM TEXT". If a process is killed while it writes, the last line is incomplete
/// and counts as not written.
class Journal {
 public:
  /// Opens or makes the file and removes an incomplete last line. Throws InputError.
  explicit Journal(std::string path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The events of earlier runs, in order.
  const std::vector<std::string>& past() const { return past_; }
  /// The number of damaged lines in the middle of the file, which are skipped.
  std::size_t damaged() const { return damaged_; }

  /// Returns after the event is on disk. `text` is one line.
  void append(std::string_view text);

  static std::string line(std::string_view text);

 private:
  void read();

  std::string path_;
  int descriptor_ = -1;
  std::vector<std::string> past_;
  std::size_t damaged_ = 0;
};

}  // namespace sassim::campaign
