// SPDX-License-Identifier: Apache-2.0
// The warp scheduler chooses which eligible warp of a processing block issues. A policy is one class that
// registers itself under the name that `sm.issue.scheduler` uses.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "arch/common/indices.h"
#include "sim/base/registry.h"

namespace sassim::arch {

/// One bit per warp of a processing block.
using WarpMask = std::uint32_t;
inline constexpr std::uint32_t kMaxBlockWarps = 32;
/// The most thread blocks that an SM can hold at a time.
inline constexpr std::uint32_t kMaxBlockPlaces = 256;

/// What a policy may look at. A smaller age means that the warp or block was placed earlier.
struct ScheduleView {
  WarpIndex last{kMaxBlockWarps};  ///< the warp that issued last; kMaxBlockWarps: none
  bool refused = false;            ///< the warp that issued last loses its turn (IssueStage::was_refused)
  std::array<std::uint64_t, kMaxBlockWarps> age{};
  std::array<std::uint64_t, kMaxBlockWarps> block_age{};  ///< age of the thread block of each warp
  std::array<std::uint8_t, kMaxBlockWarps> place{};       ///< place on the SM of the thread block of each warp
  std::array<std::uint8_t, kMaxBlockPlaces>
      last_of{};  ///< for each place: the warp of its thread block that issued last

  void placed(WarpIndex warp, std::uint32_t at) {
    place[warp] = static_cast<std::uint8_t>(at);
    last_of[at] = kMaxBlockWarps;
  }
  void issued(WarpIndex warp) {
    last = warp;
    last_of[place[warp]] = static_cast<std::uint8_t>(warp);
  }
};

inline WarpIndex youngest(WarpMask mask, const ScheduleView& view) {
  WarpIndex best(std::countr_zero(mask));
  for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
    const WarpIndex warp(std::countr_zero(mask));
    if (view.age[warp] > view.age[best]) best = warp;
  }
  return best;
}

inline WarpIndex oldest(WarpMask mask, const ScheduleView& view) {
  WarpIndex best(std::countr_zero(mask));
  for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
    const WarpIndex warp(std::countr_zero(mask));
    if (view.age[warp] < view.age[best]) best = warp;
  }
  return best;
}

/// The warps of the mask whose thread block is the oldest.
inline WarpMask oldest_block(WarpMask mask, const ScheduleView& view) {
  WarpMask best = 0;
  std::uint64_t age = ~std::uint64_t{0};
  for (; mask != 0; mask &= mask - 1) {
    const WarpIndex warp(std::countr_zero(mask));
    if (view.block_age[warp] < age) {
      age = view.block_age[warp];
      best = 0;
    }
    if (view.block_age[warp] == age) best |= WarpMask{1} << warp;
  }
  return best;
}

/// True if the mask, which is not empty, has one warp.
inline bool only(WarpMask mask) { return (mask & (mask - 1)) == 0; }
inline bool in(WarpMask mask, WarpIndex warp) { return warp < kMaxBlockWarps && (mask >> warp & 1u) != 0; }

class WarpScheduler {
 public:
  static constexpr const char* kKind = "warp scheduler";
  virtual ~WarpScheduler() = default;
  /// `eligible` is not empty. The choice depends on the arguments alone.
  virtual WarpIndex pick(WarpMask eligible, const ScheduleView& view) const = 0;
  /// The warp for which the next instruction is fetched; `wanted` is not empty.
  virtual WarpIndex fetch(WarpMask wanted, const ScheduleView& view) const {
    return in(wanted, view.last) ? view.last : youngest(wanted, view);
  }
};

using WarpSchedulers = Registry<WarpScheduler>;

}  // namespace sassim::arch
