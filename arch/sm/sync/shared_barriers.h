// SPDX-License-Identifier: Apache-2.0
// Barriers that live in shared memory (PTX mbarrier), of the thread blocks on an SM: each counts a phase's arrivals and
// transactions, and warps wait for the end of a phase. The words themselves are the emulator's; this is their timing.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/timing_wheel.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// What an instruction does to the barriers that its lanes name.
enum class SharedBarrierOp : std::uint8_t { init, forget, arrive, leave, begin_transaction, end_transaction, check };

class SharedBarriers {
 public:
  /// Somebody who waits for the end of a phase; `check` is its own name for it.
  struct Waiter {
    WarpSlot warp;
    std::uint32_t check = 0;
  };
  /// What `count` threads do at a barrier.
  struct Change {
    std::int32_t arrivals = 0, transactions = 0;
    bool leave = false;  ///< later phases expect as many fewer
  };

  /// `wake`: cycles from the last arrival here to the result of a check that waited for it.
  explicit SharedBarriers(std::uint32_t wake) : wake_(wake) {}

  /// No barrier of the thread block is known until init().
  void start_block(std::uint32_t place);
  void init(std::uint32_t place, std::uint32_t address, std::uint32_t expected);
  void forget(std::uint32_t place, std::uint32_t address);
  /// Takes place at `at`, now or soon. Nothing for a barrier that is not known.
  void change(std::uint32_t place, std::uint32_t address, const Change& change, Cycle at);
  /// When a check of the given phase, the first being false, has its result at the earliest, if that can be said;
  /// kNever: pop() will tell. At once for a barrier that is not known.
  Cycle wait(std::uint32_t place, std::uint32_t address, bool phase, const Waiter& waiter);

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
  /// Calls `visit(Closed)`: for the report of a run that is stuck.
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
    Cycle latest, over;  ///< the last arrival of this phase, of the phase before
    std::vector<Waiter> waiting;
  };
  Barrier* find(std::uint32_t place, std::uint32_t address);
  void end_phase(Barrier& barrier);

  std::uint32_t wake_;
  std::vector<std::vector<Barrier>> blocks_;  ///< by place
  TimingWheel<Waiter> releases_;
};

}  // namespace sassim::arch
