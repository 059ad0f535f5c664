// SPDX-License-Identifier: Apache-2.0
// Appends lines to a campaign's journal so that no kill or crash loses them, and reads them back.
#include "sim/campaign/journal.h"

#include <fcntl.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"

namespace sassim::campaign {

namespace {

constexpr std::size_t kSumDigits = 16;

std::string checksum(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

/// Checks a line and sets its text; false if it is damaged.
bool check_line(std::string_view line, std::string& text) {
  if (line.size() < kSumDigits + 1 || line[kSumDigits] != ' ') return false;
  text = line.substr(kSumDigits + 1);
  return line.substr(0, kSumDigits) == checksum(text);
}

}  // namespace

std::string Journal::line(std::string_view text) { return fmt::format("{} {}\n", checksum(text), text); }

Journal::Journal(std::string path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw InputError("{}: cannot be opened: {}", path_, std::strerror(errno));
  read();
}

Journal::~Journal() { close(descriptor_); }

void Journal::read() {
  const std::string all = read_whole_file(path_).value_or("");
  std::size_t good = 0;  // the end of the last valid line
  std::size_t bad = 0;   // damaged lines behind it
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = all.find('\n', start);
    if (end == std::string::npos) break;
    std::string text;
    if (check_line(std::string_view(all).substr(start, end - start), text)) {
      past_.push_back(std::move(text));
      damaged_ += bad;
      bad = 0;
      good = end + 1;
    } else {
      ++bad;
    }
    start = end + 1;
  }
  if (good < all.size() && ftruncate(descriptor_, static_cast<off_t>(good)) != 0)
    throw InputError("{}: its incomplete last line cannot be removed: {}", path_, std::strerror(errno));
}

void Journal::append(std::string_view text) {
  const std::string whole = line(text);
  if (!write_fully(descriptor_, whole) || fdatasync(descriptor_) != 0)
    throw InputError("{}: cannot be written: {}", path_, std::strerror(errno));
}

}  // namespace sassim::campaign
