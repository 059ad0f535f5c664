// SPDX-License-Identifier: Apache-2.0
// The part of a processing block's constant cache for constants whose address is in a register, as ULDC reads them. A
// miss displaces the least recently used line at once and reserves its way until the fill arrives; while all ways are
// reserved, further misses wait. When a fill arrives, the warp that requested the line continues, and the waiting warps
// try again in the scheduler's order. Warps that find their line continue too, until a warp that needs another line
// displaces it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/cache/line_cache.h"
#include "arch/common/indices.h"
#include "arch/sm/warps/warp_scheduler.h"
#include "sim/config/groups/cache_geometry.h"

namespace sassim::arch {

class IndexedLines {
 public:
  enum class Answer : std::uint8_t {
    here,
    asked,  ///< the caller must request the line
    waits,  ///< the line is in flight, or no way is free for it
  };
  explicit IndexedLines(const config::CacheGeometry& geometry)
      : line_bytes_(geometry.line), tags_(shape_of(geometry), "lru"), warp_(tags_.slots(), kNobody) {}

  std::uint32_t line_bytes() const { return line_bytes_; }
  std::uint64_t line_of(std::uint64_t address) const { return address / line_bytes_; }

  /// The warp needs the line. If the answer is not `here`, the warp waits until fill() returns it.
  Answer access(std::uint64_t line, WarpIndex warp, const LineUse& use) {
    std::size_t slot = tags_.find(set_of(line), line);
    if (slot != TagArray::kNone) {
      if (warp_[slot] != kNobody) return wait(line, warp);
      tags_.used(slot, use);
      return Answer::here;
    }
    slot = tags_.choose(set_of(line), line, use, [this](std::size_t way) { return warp_[way] == kNobody; });
    if (slot == TagArray::kNone) return wait(line, warp);
    tags_.fill(slot, line, use);
    warp_[slot] = warp;
    wanted_[warp] = line;
    return Answer::asked;
  }
  /// The line has arrived; returns the warps that continue. `pick` chooses the warp of a mask that tries next; `ask` is
  /// called for each line to request.
  template <class Pick, class Ask>
  WarpMask fill(std::uint64_t line, const LineUse& use, Pick pick, Ask ask) {
    const std::size_t slot = tags_.find(set_of(line), line);
    const std::uint32_t first = warp_[slot];
    warp_[slot] = kNobody;
    WarpMask served = WarpMask{1} << first;
    for (WarpMask rest = waiting_; rest != 0;) {
      const WarpIndex warp = pick(rest);
      const WarpMask bit = WarpMask{1} << warp;
      rest &= ~bit;
      waiting_ &= ~bit;
      const Answer answer = access(wanted_[warp], warp, use);
      if (answer == Answer::here) served |= bit;
      if (answer == Answer::asked) ask(wanted_[warp]);
    }
    return served;
  }
  void clear() {
    tags_.clear();
    warp_.assign(warp_.size(), kNobody);
    waiting_ = 0;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(tags_, warp_, waiting_, wanted_);
  }

 private:
  static constexpr std::uint32_t kNobody = kMaxBlockWarps;
  std::size_t set_of(std::uint64_t line) const { return line % tags_.sets(); }
  Answer wait(std::uint64_t line, WarpIndex warp) {
    waiting_ |= WarpMask{1} << warp;
    wanted_[warp] = line;
    return Answer::waits;
  }

  std::uint32_t line_bytes_;
  TagArray tags_;
  std::vector<std::uint32_t> warp_;  ///< by way: the warp that requested the line in flight
  WarpMask waiting_ = 0;
  std::array<std::uint64_t, kMaxBlockWarps> wanted_{};  ///< by waiting warp: the line it needs
};

}  // namespace sassim::arch
