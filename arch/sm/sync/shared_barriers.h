// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory (PTX mbarrier) of the thread blocks on an SM. A barrier counts the arrivals and
// transactions of a phase, and warps wait for the end of a phase. The emulator holds their contents; this class is
// their timing.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/timing_wheel.h"
#include "sim/base/types.h"

namespace sassim::arch {

class SharedBarriers {
 public:
  /// An instruction that waits for the end of a phase; `check` is its name for the wait.
  struct Waiter {
    WarpSlot warp;
    std::uint32_t check = 0;
  };
  /// Arrivals and transactions that an instruction adds at a barrier.
  struct Change {
    std::int32_t arrivals = 0, transactions = 0;
    bool leave = false;  ///< later phases expect that many arrivals fewer
  };

  /// `wake`: cycles from the last arrival to the result of the first check that waited for it; `interval`: from one to
  /// the next.
  explicit SharedBarriers(std::uint32_t wake, std::uint32_t interval = 0) : wake_(wake), interval_(interval) {}

  /// Forgets the barriers of the previous thread block in this place.
  void start_block(std::uint32_t place);
  void init(std::uint32_t place, std::uint32_t address, std::uint32_t expected);
  void invalidate(std::uint32_t place, std::uint32_t address);
  /// Takes effect at `at`, now or soon. Has no effect on a barrier without init().
  void change(std::uint32_t place, std::uint32_t address, const Change& change, Cycle at);
  /// The earliest cycle in which a check of this phase has its result, or kNever if pop() will report it. The first
  /// phase is false. On a barrier without init() a check has its result at once.
  Cycle wait(std::uint32_t place, std::uint32_t address, bool phase, const Waiter& waiter);

  /// Removes the waiter from all barriers of the block. Returns the number of barriers at which it waited; those whose
  /// phase has ended do not count, because pop() reports them.
  std::uint32_t leave(std::uint32_t place, const Waiter& waiter);

  Cycle next_event() const { return releases_.next(); }
  /// Calls `take(Waiter)` for every check that has its result at `now`.
  template <class Take>
  void pop(Cycle now, Take take) {
    releases_.pop(now, take);
  }

  /// A barrier at which checks wait for the end of a phase.
  struct Closed {
    std::uint32_t place, address;
    std::int32_t arrivals, transactions;  ///< that the phase still lacks
    const std::vector<Waiter>& waiting;
  };
  /// Calls `visit(Closed)` for each barrier at which checks wait; for the report of a run that does not end.
  template <class Visit>
  void each_closed(Visit visit) const {
    for (std::uint32_t place = 0; place < blocks_.size(); ++place)
      for (const Barrier& b : blocks_[place])
        if (!b.waiting.empty()) visit(Closed{place, b.address, b.pending, b.transactions, b.waiting});
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(blocks_, releases_);
  }

 private:
  struct Barrier {
    std::uint32_t address = 0;
    std::int32_t expected = 0, pending = 0, transactions = 0;
    bool phase = false;
    Cycle latest, over;  ///< the last arrival of this phase; the end of the previous phase
    std::vector<Waiter> waiting;
  };
  Barrier* find(std::uint32_t place, std::uint32_t address);
  void end_phase(Barrier& barrier);

  std::uint32_t wake_, interval_;
  std::vector<std::vector<Barrier>> blocks_;  ///< by place
  TimingWheel<Waiter> releases_;
};

}  // namespace sassim::arch
