// SPDX-License-Identifier: Apache-2.0
// Lines of constants that ULDC reads through a register. A miss takes the place of the least recently used line at
// once, and no other miss can take that place before the line has come: with all places taken, further misses wait for
// one. When a line comes, the warp that asked for it goes on, and those that wait try again in turn, from the next one
// on: whoever finds the line goes on too, until one that wants another line has taken its place.
#pragma once

#include <algorithm>
#include <array>
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
  explicit IndexedLines(const config::CacheGeometry& geometry) : geometry_(geometry), entries_(geometry_.lines()) {}

  std::uint32_t line_bytes() const { return geometry_.line; }
  std::uint64_t line_of(std::uint64_t address) const { return address / geometry_.line; }

  Answer access(std::uint64_t line, std::uint32_t warp) {
    Entry* victim = nullptr;
    for (Entry *entry = set(line), *end = entry + geometry_.ways; entry != end; ++entry) {
      if (entry->line == line + 1) {
        if (entry->warp == kNobody) return entry->used = ++clock_, Answer::here;
        return wait(line, warp);
      }
      if (entry->warp == kNobody && (victim == nullptr || entry->used < victim->used)) victim = entry;
    }
    if (victim == nullptr) return wait(line, warp);
    *victim = {line + 1, ++clock_, warp};
    wanted_[warp] = line;
    return Answer::asked;
  }
  /// The line has come; returns the warps that go on. `pick` chooses who of a mask tries next, `ask` is called with
  /// each line that is asked for.
  template <class Pick, class Ask>
  WarpMask fill(std::uint64_t line, Pick pick, Ask ask) {
    Entry& entry =
        *std::find_if(set(line), set(line) + geometry_.ways, [&](const Entry& e) { return e.line == line + 1; });
    const std::uint32_t first = entry.warp;
    entry.warp = kNobody;
    WarpMask served = WarpMask{1} << first;
    for (WarpMask rest = waiting_; rest != 0;) {
      const std::uint32_t warp = pick(rest);
      const WarpMask bit = WarpMask{1} << warp;
      rest &= ~bit;
      waiting_ &= ~bit;
      const Answer answer = access(wanted_[warp], warp);
      if (answer == Answer::here) served |= bit;
      if (answer == Answer::asked) ask(wanted_[warp]);
    }
    return served;
  }
  void clear() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    waiting_ = 0;
  }

 private:
  static constexpr std::uint32_t kNobody = kMaxBlockWarps;
  struct Entry {
    std::uint64_t line = 0;  ///< number + 1; 0: empty
    std::uint64_t used = 0;
    std::uint32_t warp = kNobody;  ///< that asked for the line, until it has come
  };
  Entry* set(std::uint64_t line) { return &entries_[line % geometry_.sets * geometry_.ways]; }
  Answer wait(std::uint64_t line, std::uint32_t warp) {
    waiting_ |= WarpMask{1} << warp;
    wanted_[warp] = line;
    return Answer::waits;
  }

  LineGeometry geometry_;
  std::vector<Entry> entries_;
  WarpMask waiting_ = 0;
  std::array<std::uint64_t, kMaxBlockWarps> wanted_{};  ///< by those that wait
  std::uint64_t clock_ = 0;
};

}  // namespace sassim::arch
