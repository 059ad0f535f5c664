// SPDX-License-Identifier: Apache-2.0
// Constants as operands of fixed-latency instructions: a small cache per processing block, looked up at issue.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/sm/instruction_cache.h"
#include "arch/sm/line_tags.h"
#include "arch/sm/warp_scheduler.h"

namespace sassim::arch {

class ConstantCache {
 public:
  ConstantCache(const config::ConstantCaches& config, InstructionCache& l15, std::uint8_t block)
      : tags_(config.fixed),
        indexed_(config.indexed),
        miss_latency_(config.fixed_miss_latency),
        l15_(l15),
        block_(block) {}

  void start_kernel(std::uint64_t constant_address, bool keep_caches) {
    address_ = constant_address;
    last_line_ = ~0ull;
    misses_.clear();
    missed_ = 0;
    served_ = 0;
    if (keep_caches) return;
    tags_.clear();
    indexed_.clear();
  }

  /// `address` is bank << 16 | offset. On a miss the line is asked for, and `warp` is named when it comes.
  bool access(std::uint32_t address, std::uint32_t warp, Cycle now) {
    const std::uint64_t line = tags_.line_of(address_ + address);
    if (line == last_line_) return true;
    if (tags_.access(line)) {
      last_line_ = line;
      return true;
    }
    return ask(line * 2, tags_, warp, now);
  }
  /// The same for an address out of a register: these have lines of their own. A warp whose line came reads it even if
  /// others have pushed it out again.
  bool access_indexed(std::uint32_t address, std::uint32_t warp, Cycle now) {
    const std::uint64_t line = indexed_.line_of(address_ + address);
    const WarpMask bit = WarpMask{1} << warp;
    if ((served_ & bit) != 0 || indexed_.access(line)) {
      served_ &= ~bit;
      return true;
    }
    return ask(line * 2 + 1, indexed_, warp, now);
  }
  /// What was asked for has come; returns the warps that waited for it.
  WarpMask fill(std::uint64_t what) {
    const bool indexed = what % 2 != 0;
    (indexed ? indexed_ : tags_).insert(what / 2);
    last_line_ = ~0ull;
    for (std::size_t i = 0; i < misses_.size(); ++i) {
      if (misses_[i].what != what) continue;
      const WarpMask warps = misses_[i].warps;
      misses_.erase(misses_.begin() + static_cast<std::ptrdiff_t>(i));
      if (indexed) served_ |= warps;
      return warps;
    }
    return 0;
  }
  std::uint64_t misses() const { return missed_; }

 private:
  struct Miss {
    std::uint64_t what;  ///< twice the line, and 1 for an indexed one
    WarpMask warps;
  };
  bool ask(std::uint64_t what, const LineTags& tags, std::uint32_t warp, Cycle now) {
    ++missed_;
    const bool alone = what % 2 != 0;  // every warp asks for its indexed line itself (H200)
    for (Miss& miss : misses_)
      if (miss.what == what && !alone) {
        miss.warps |= WarpMask{1} << warp;
        return false;
      }
    misses_.push_back({what, WarpMask{1} << warp});
    l15_.request(what / 2 * tags.line_bytes(), tags.line_bytes(), miss_latency_, {block_, true, what}, now);
    return false;
  }

  LineTags tags_, indexed_;
  std::uint32_t miss_latency_;
  InstructionCache& l15_;
  std::uint8_t block_;
  std::uint64_t address_ = 0, last_line_ = ~0ull;
  std::vector<Miss> misses_;
  WarpMask served_ = 0;  ///< warps whose indexed line came and that have not read it yet
  std::uint64_t missed_ = 0;
};

}  // namespace sassim::arch
