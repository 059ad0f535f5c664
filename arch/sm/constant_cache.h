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
      : tags_(config.fixed), miss_latency_(config.fixed_miss_latency), l15_(l15), block_(block) {}

  void start_kernel(std::uint64_t constant_address, bool keep_caches) {
    address_ = constant_address;
    last_line_ = ~0ull;
    misses_.clear();
    missed_ = 0;
    if (!keep_caches) tags_.clear();
  }

  /// `address` is bank << 16 | offset. On a miss the line is asked for, and `warp` is named when it comes.
  bool access(std::uint32_t address, std::uint32_t warp, Cycle now) {
    const std::uint64_t line = tags_.line_of(address_ + address);
    if (line == last_line_) return true;
    if (tags_.access(line)) {
      last_line_ = line;
      return true;
    }
    ++missed_;
    for (Miss& miss : misses_)
      if (miss.line == line) {
        miss.warps |= 1u << warp;
        return false;
      }
    misses_.push_back({line, 1u << warp});
    l15_.request(line * tags_.line_bytes(), tags_.line_bytes(), miss_latency_, {block_, true, line}, now);
    return false;
  }
  /// A line has come; returns the warps that waited for it.
  WarpMask fill(std::uint64_t line) {
    tags_.insert(line);
    last_line_ = ~0ull;
    for (std::size_t i = 0; i < misses_.size(); ++i) {
      if (misses_[i].line != line) continue;
      const WarpMask warps = misses_[i].warps;
      misses_.erase(misses_.begin() + static_cast<std::ptrdiff_t>(i));
      return warps;
    }
    return 0;
  }
  std::uint64_t misses() const { return missed_; }

 private:
  struct Miss {
    std::uint64_t line;
    WarpMask warps;
  };
  LineTags tags_;
  std::uint32_t miss_latency_;
  InstructionCache& l15_;
  std::uint8_t block_;
  std::uint64_t address_ = 0, last_line_ = ~0ull;
  std::vector<Miss> misses_;
  std::uint64_t missed_ = 0;
};

}  // namespace sassim::arch
