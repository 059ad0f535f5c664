// SPDX-License-Identifier: Apache-2.0
// Work that runs beside the warps of a processing block: groups of copies to shared memory (LDGSTS), and operations of
// its warps on barriers in shared memory (SYNCS, ARRIVES).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/memory/memory_access.h"
#include "arch/sm/sync/async_groups.h"
#include "arch/sm/sync/shared_barriers.h"
#include "arch/sm/warps/block_state.h"

namespace sassim::arch {

class AsyncCopies {
 public:
  AsyncCopies(BlockState& state, SharedBarriers& barriers)
      : state_(state), barriers_(barriers), warps_(state.warps.size()) {}

  void start_warp(WarpIndex warp);

  /// A copy issues; returns its group, which copy_done() takes.
  std::uint32_t copy_issued(WarpIndex warp) { return warps_[warp].groups.copy_issued(); }
  void copy_done(WarpIndex warp, std::uint32_t group, Cycle now);
  /// LDGDEPBAR, or an arrival for copies: closes the open group.
  void close_group(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle now, Cycle result);
  /// DEPBAR.LE for groups: true if the warp must wait.
  bool wait(WarpIndex warp, CodeLine line) {
    warps_[warp].waits_at = line;
    return waits(warp);
  }
  /// The dependence counter of a group has been decremented.
  void counter_released(WarpIndex warp) { warps_[warp].groups.released(); }
  /// True if more groups are in flight than the warp's last DEPBAR.LE allows.
  bool waits(WarpIndex warp) const;
  /// The code line of the warp's last DEPBAR.LE.
  CodeLine waits_at(WarpIndex warp) const { return warps_[warp].waits_at; }

  /// SYNCS: an operation on barriers in shared memory.
  void use_barrier(WarpIndex warp, const StaticInstruction& instruction, CodeLine line, Cycle result);
  /// A phase for which check number `check` waits has ended; SharedBarriers::Waiter holds this number.
  void phase_over(std::uint32_t check, Cycle now);
  /// The time limit of a TRYWAIT has passed: it ends although its phase has not, unless its end has already begun.
  void give_up(std::uint32_t check, Cycle now);

  /// UBLKCP: its pieces may enter the memory queue from `first` on.
  void start_bulk(WarpIndex warp, CodeLine line, Cycle first);
  /// The next piece of a bulk copy, and whether it is the last one.
  std::pair<MemoryAccess::Piece, bool> next_piece(std::uint32_t bulk);
  /// The bytes of a piece have been written.
  void piece_done(std::uint32_t bulk, Cycle now);

  /// A check that waits for phases of barriers in shared memory to end.
  struct Check {
    std::uint8_t warp = 0;
    std::uint16_t generation = 0;
    CodeLine line;
    std::uint32_t waits = 0;
    Cycle result;  ///< the result is not ready before
    Cycle limit;   ///< when a TRYWAIT gives up; kNever: it does not
    LiveId live;
  };
  // For the report of a run that does not end.
  const std::vector<Check>& checks() const { return checks_; }
  const AsyncGroups& groups(WarpIndex warp) const { return warps_[warp].groups; }
  /// True if copies of the warp will arrive at the barrier in shared memory at `address` when they are done.
  bool arrives_at(WarpIndex warp, std::uint32_t address) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(warps_, checks_, free_checks_, bulk_, free_bulk_);
  }

 private:
  /// The arrival at a barrier in shared memory when a group of copies ends.
  struct Arrival {
    CodeLine line;
    std::uint32_t address = 0, lanes = 0;
    bool last = false;  ///< the last arrival of its group
    LiveId live;        ///< of the last: what the instruction does to the barriers of a live block
  };
  struct WarpCopies {
    AsyncGroups groups;
    std::vector<Arrival> arrivals;  ///< of groups that are not done, in order
    CodeLine waits_at = {};
  };

  struct Bulk {
    WarpIndex warp;
    CodeLine line;
    std::uint32_t barrier = 0;
    std::uint32_t units = 0, sent = 0, done = 0;  ///< of 16 bytes
    std::uint64_t address = 0;
    LiveId live;
  };

  Cycle reaches_barriers(const StaticInstruction& instruction, Cycle result) const;
  void finish_groups(WarpIndex warp, Cycle now);
  void arrive_for_copies(WarpIndex warp, Cycle at);
  void check_phases(WarpIndex warp, CodeLine line, Cycle result);
  void end_check(std::uint32_t check, Cycle now);
  /// The operation on barriers that the next instruction of a live warp leaves to this class, if there is one.
  LiveId live_operation(WarpIndex warp) const;

  BlockState& state_;
  SharedBarriers& barriers_;
  std::vector<WarpCopies> warps_;
  std::vector<Check> checks_;
  std::vector<std::uint32_t> free_checks_;
  std::vector<Bulk> bulk_;
  std::vector<std::uint32_t> free_bulk_;
};

}  // namespace sassim::arch
