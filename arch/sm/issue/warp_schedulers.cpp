// SPDX-License-Identifier: Apache-2.0
// The warp schedulers that a configuration can name (sm.issue.scheduler). One of your own is a file beside this one.
// MICRO 2025 is Huerta et al., arXiv 2503.20481.
#include "arch/sm/warps/warp_scheduler.h"

namespace sassim::arch {
namespace {

/// Picks the warp that issued last; if it is not eligible, the oldest one (as earlier simulators assume).
class GreedyOldest : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    return in(eligible, view.last) ? view.last : oldest(eligible, view);
  }
};

const Registered<WarpScheduler, GreedyOldest> greedy_oldest_registered("gto");

/// Picks the next eligible warp, in order of warp number, after the one that issued last.
class LooseRoundRobin : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    const WarpMask after = view.last + 1 < kMaxBlockWarps ? eligible & ~((2u << view.last) - 1) : 0;
    return WarpIndex(std::countr_zero(after != 0 ? after : eligible));
  }
};

const Registered<WarpScheduler, LooseRoundRobin> loose_round_robin_registered("lrr");

/// Picks the oldest eligible warp.
class Oldest : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override { return oldest(eligible, view); }
};

const Registered<WarpScheduler, Oldest> oldest_registered("oldest");

/// Picks the warp that issued last; if it is not eligible, the youngest one (MICRO 2025, for Turing and Ampere).
class GreedyYoungest : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    return in(eligible, view.last) ? view.last : youngest(eligible, view);
  }
};

const Registered<WarpScheduler, GreedyYoungest> greedy_youngest_registered("greedy_youngest");

/// A warp continues as long as it can issue, whichever block it is of. When it cannot, or when its pipe or queue is
/// full, the next warp of the thread block that has been on the SM for the longest time gets the turn. Fetch serves the
/// youngest warp of that block whose buffer has room (H200: validation/measured/h200/instructions.md#warp-scheduling).
class OldestBlock : public WarpScheduler {
 public:
  /// The warp that issued last, unless it was refused. Otherwise the turn in the oldest block passes to the warp with
  /// the next lower number (after the lowest, the highest), so that warps which compete for one pipe progress at the
  /// same rate.
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    if (!view.refused && in(eligible, view.last)) return view.last;
    const WarpMask mask = oldest_block(eligible, view);
    const std::uint32_t oldest = static_cast<std::uint32_t>(std::countr_zero(mask)) % kMaxBlockWarps;  // mask is not 0
    const std::uint32_t last = view.last_of[view.place[oldest]];
    const WarpMask before = last < kMaxBlockWarps ? mask & ((WarpMask{1} << last) - 1) : 0;
    return WarpIndex(31 - std::countl_zero(before != 0 ? before : mask));
  }
  WarpIndex fetch(WarpMask wanted, const ScheduleView& view) const override {
    return youngest(oldest_block(wanted, view), view);
  }
};

const Registered<WarpScheduler, OldestBlock> oldest_block_registered("oldest_block");

/// The warp that issued last, else the youngest (MICRO 2025, measured with one block on Turing and Ampere) of the
/// thread block that has been on the SM for the longest time (H200:
/// validation/measured/h200/instructions.md#warp-scheduling).
class OldestBlockYoungest : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    return in(eligible, view.last) ? view.last : youngest(oldest_block(eligible, view), view);
  }
  WarpIndex fetch(WarpMask wanted, const ScheduleView& view) const override { return pick(wanted, view); }
};

const Registered<WarpScheduler, OldestBlockYoungest> oldest_block_youngest_registered("oldest_block_youngest");

/// The warp that issued last, else the youngest of its thread block (MICRO 2025, measured with one block on Turing and
/// Ampere), else that of the block at the next place of the SM, so that blocks progress at the same rate (a GV100:
/// validation/measured/volta-turing.md#which-warp-issues).
class BlocksInTurn : public WarpScheduler {
 public:
  WarpIndex pick(WarpMask eligible, const ScheduleView& view) const override {
    if (in(eligible, view.last)) return view.last;
    const std::uint32_t first = view.last < kMaxBlockWarps ? view.place[view.last] : 0;
    WarpMask best = 0;
    std::uint32_t nearest = kMaxBlockPlaces;
    for (WarpMask rest = eligible; rest != 0; rest &= rest - 1) {
      const auto warp = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint32_t distance = (view.place[warp] + kMaxBlockPlaces - first) % kMaxBlockPlaces;
      if (distance < nearest) {
        nearest = distance;
        best = 0;
      }
      if (distance == nearest) best |= WarpMask{1} << warp;
    }
    return youngest(best, view);
  }
  WarpIndex fetch(WarpMask wanted, const ScheduleView& view) const override { return pick(wanted, view); }
};

const Registered<WarpScheduler, BlocksInTurn> blocks_in_turn_registered("blocks_in_turn");

}  // namespace
}  // namespace sassim::arch
