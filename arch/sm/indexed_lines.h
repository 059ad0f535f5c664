// SPDX-License-Identifier: Apache-2.0
// Lines of constants that ULDC reads through a register. A miss takes the place of the least recently used line at
// once, and no other miss can take that place before the line has come: with all places taken, further misses are
// refused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/warp_scheduler.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class IndexedLines {
 public:
  enum class Answer : std::uint8_t {
    here,
    asked,  ///< the caller is to ask for the line
    waits,  ///< it is on its way, or has no place yet
  };
  struct Come {
    WarpMask waited, refused;
  };

  explicit IndexedLines(const config::CacheGeometry& geometry)
      : line_(geometry.line),
        ways_(geometry.ways ? geometry.ways : static_cast<std::uint32_t>(geometry.size / line_)),
        sets_(static_cast<std::uint32_t>(geometry.size / (std::uint64_t{line_} * ways_))),
        entries_(std::size_t{sets_} * ways_) {}

  std::uint32_t line_bytes() const { return line_; }
  std::uint64_t line_of(std::uint64_t address) const { return address / line_; }

  Answer access(std::uint64_t line, std::uint32_t warp) {
    const WarpMask bit = WarpMask{1} << warp;
    Entry* victim = nullptr;
    Entry* const set = &entries_[line % sets_ * ways_];
    for (Entry* entry = set; entry != set + ways_; ++entry) {
      if (entry->line == line + 1) {
        if (entry->waiting == 0) return entry->used = ++clock_, Answer::here;
        entry->waiting |= bit;
        return Answer::waits;
      }
      if (entry->waiting == 0 && (victim == nullptr || entry->used < victim->used)) victim = entry;
    }
    if (victim == nullptr) return refused_ |= bit, Answer::waits;
    *victim = {line + 1, ++clock_, bit};
    return Answer::asked;
  }
  /// The line has come.
  Come fill(std::uint64_t line) {
    Entry* const set = &entries_[line % sets_ * ways_];
    Entry& entry = *std::find_if(set, set + ways_, [&](const Entry& e) { return e.line == line + 1; });
    const Come come{entry.waiting, refused_};
    entry.waiting = refused_ = 0;
    return come;
  }
  void clear() { std::fill(entries_.begin(), entries_.end(), Entry{}); }

 private:
  struct Entry {
    std::uint64_t line = 0;  ///< number + 1; 0: empty
    std::uint64_t used = 0;
    WarpMask waiting = 0;  ///< for the line to come
  };
  std::uint32_t line_, ways_, sets_;
  std::vector<Entry> entries_;
  WarpMask refused_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace sassim::arch
