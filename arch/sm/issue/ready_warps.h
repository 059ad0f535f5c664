// SPDX-License-Identifier: Apache-2.0
// The warps of a processing block whose next instruction could issue, by the pipe or queue that it needs: they wait for
// room there, or to be chosen.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "arch/common/indices.h"
#include "arch/sm/warps/block_pipes.h"
#include "arch/sm/warps/warp_scheduler.h"

namespace sassim::arch {

class ReadyWarps {
 public:
  void add(WarpIndex warp, Resource resource) {
    const auto r = static_cast<std::size_t>(resource);
    warps_[r] |= 1u << warp;
    present_ |= 1u << r;
  }
  void remove(WarpIndex warp, Resource resource) {
    WarpMask& mask = warps_[static_cast<std::size_t>(resource)];
    mask &= ~(1u << warp);
    if (mask == 0) present_ &= ~(1u << static_cast<std::uint32_t>(resource));
  }
  bool has(WarpIndex warp, Resource resource) const { return in(warps_[static_cast<std::size_t>(resource)], warp); }

  /// The warps whose resource is free at `now`.
  WarpMask eligible(const BlockPipes& pipes, Cycle now) const {
    WarpMask mask = 0;
    each_free(pipes, now, [&](std::size_t r) { mask |= warps_[r]; });
    return mask;
  }
  /// Control is held at `now`: counts a lost cycle for each resource that is free and wanted.
  void count_held(const BlockPipes& pipes, Cycle now) {
    each_free(pipes, now, [&](std::size_t r) { ++held_[r]; });
  }
  /// Cycles so far in which Control was held while the resource was free and wanted.
  std::uint64_t held(Resource resource) const { return held_[static_cast<std::size_t>(resource)]; }

  /// The first cycle after `now` in which a warp may issue or a held cycle must be counted. Control is free from
  /// `control_free` on.
  Cycle next(const BlockPipes& pipes, Cycle control_free, Cycle now) const {
    if (present_ == 0) return kNever;
    if (control_free > now + 1) return now + 1;  // held cycles are counted one by one
    Cycle next = kNever;
    for (std::uint32_t rest = present_; rest != 0 && next > now + 1; rest &= rest - 1)
      next = std::min(next, std::max(now + 1, pipes.input(static_cast<Resource>(std::countr_zero(rest))).free_at()));
    return next;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(warps_, held_, present_);
  }

 private:
  template <class Visit>
  void each_free(const BlockPipes& pipes, Cycle now, Visit visit) const {
    for (std::uint32_t rest = present_; rest != 0; rest &= rest - 1) {
      const auto r = static_cast<std::size_t>(std::countr_zero(rest));
      if (!pipes.input(static_cast<Resource>(r)).busy(now)) visit(r);
    }
  }

  std::array<WarpMask, kResources> warps_{};
  std::array<std::uint64_t, kResources> held_{};
  std::uint32_t present_ = 0;  ///< one bit per resource that a ready warp wants
};

}  // namespace sassim::arch
