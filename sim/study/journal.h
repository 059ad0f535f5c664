// SPDX-License-Identifier: Apache-2.0
// What has happened to a campaign, one checked line per event, on disk before anything builds on it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim::study {

/// An append-only file of lines "CHECKSUM TEXT". A process that is killed while it writes leaves a torn last line,
/// which counts as not written.
class Journal {
 public:
  /// Opens or makes the file, and cuts off a torn last line. Throws InputError.
  explicit Journal(std::string path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The events of earlier runs, in order.
  const std::vector<std::string>& past() const { return past_; }
  /// Lines in the middle of the file that are damaged: they are skipped.
  std::size_t damaged() const { return damaged_; }

  /// Returns when the event is on disk. `text` is one line.
  void append(std::string_view text);

  static std::string line(std::string_view text);

 private:
  void read();

  std::string path_;
  int descriptor_ = -1;
  std::vector<std::string> past_;
  std::size_t damaged_ = 0;
};

}  // namespace sassim::study
