// SPDX-License-Identifier: Apache-2.0
// Lines of constants that ULDC reads through a register. A miss takes the place of the least recently used line at
// once, and no other miss can take that place before the line has come: with all places taken, further misses are
// refused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/line_geometry.h"
#include "arch/sm/warp_scheduler.h"

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
      : geometry_(geometry), entries_(geometry_.lines()) {}

  std::uint32_t line_bytes() const { return geometry_.line; }
  std::uint64_t line_of(std::uint64_t address) const { return address / geometry_.line; }

  Answer access(std::uint64_t line, std::uint32_t warp) {
    const WarpMask bit = WarpMask{1} << warp;
    Entry* victim = nullptr;
    Entry* const set = &entries_[line % geometry_.sets * geometry_.ways];
    for (Entry* entry = set; entry != set + geometry_.ways; ++entry) {
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
    Entry* const set = &entries_[line % geometry_.sets * geometry_.ways];
    Entry& entry = *std::find_if(set, set + geometry_.ways, [&](const Entry& e) { return e.line == line + 1; });
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
  LineGeometry geometry_;
  std::vector<Entry> entries_;
  WarpMask refused_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace sassim::arch
