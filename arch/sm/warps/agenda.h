// SPDX-License-Identifier: Apache-2.0
// The agenda of a processing block, that is all that it has planned: events at known cycles, warps whose stall reason
// must be found again, and the cycle in which the SM must call the block next.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "arch/common/indices.h"
#include "arch/common/timing_wheel.h"
#include "arch/sm/warps/warp_scheduler.h"
#include "sim/base/types.h"

namespace sassim::arch {

struct BlockEvent {
  enum class Kind : std::uint8_t {
    written,         ///< the result of code line `data` may be used
    read,            ///< the sources of code line `data` have been read
    memory_written,  ///< the memory operation `data` has its result
    begin_warp,
    start_fetch,
    resume_fetch,
    release_hold,
    bulk_piece,    ///< a piece of the bulk copy `data` may enter the memory queue
    give_up,       ///< the check `data` of barriers in shared memory has waited long enough
    spin_swap,     ///< the memory operation `data`, an ATOMS.CAST.SPIN of a live warp, compares and swaps
    sync_threads,  ///< of a WARPSYNC; `data` groups of threads remain
    end_warp
  };
  Kind kind;
  std::uint8_t warp;
  std::uint16_t generation;  ///< generation of the warp: the event is void if the warp has ended
  std::uint32_t data;
};

class Agenda {
 public:
  void add(Cycle at, const BlockEvent& event) {
    events_.add(at, event);
    call(at);
  }
  /// Calls `take(BlockEvent)` for all events that are due at `now`.
  template <class Take>
  void pop(Cycle now, Take take) {
    events_.pop(now, take);
  }
  /// Calls `visit(Cycle, BlockEvent)` for all future events, in any order; for reports.
  template <class Visit>
  void each(Visit visit) const {
    events_.each(visit);
  }

  /// Finds the stall reason of the warp again at `at`. If that cycle is beyond the ring, this happens earlier, and then
  /// again.
  void ask_again(WarpIndex warp, Cycle at, Cycle now) {
    const std::uint64_t slot = std::min(at.value, now.value + kRing - 1) % kRing;
    asking_[slot] |= 1u << warp;
    slots_ |= 1ull << slot;
  }
  /// The warps whose stall reason must be found again at `now`.
  WarpMask dequeue_asking(Cycle now) {
    const std::uint64_t slot = now.value % kRing;
    if ((slots_ >> slot & 1) == 0) return 0;
    slots_ &= ~(1ull << slot);
    return std::exchange(asking_[slot], 0);
  }

  /// The SM must call the block at `at` or earlier.
  void call(Cycle at) { next_call_ = std::min(next_call_, at); }
  Cycle next_call() const { return next_call_; }
  /// Everything at `now` is done: the next call is at `other`, or earlier for an event or a warp that requests it.
  void plan(Cycle now, Cycle other) {
    next_call_ = std::min(events_.next(), other);
    if (slots_ == 0) return;
    const auto turned = std::rotr(slots_, static_cast<int>((now.value + 1) % kRing));
    call(now + 1 + static_cast<std::uint64_t>(std::countr_zero(turned)));
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(events_, asking_, slots_, next_call_);
  }

 private:
  static constexpr std::uint64_t kRing = 64;

  TimingWheel<BlockEvent> events_;
  std::array<WarpMask, kRing> asking_{};
  std::uint64_t slots_ = 0;  ///< one bit per slot of the ring that has warps
  Cycle next_call_ = kNever;
};

}  // namespace sassim::arch
