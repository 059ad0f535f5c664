// SPDX-License-Identifier: Apache-2.0
// The connection of a processing block to the units of the SM: its queues in front of them, and its instructions in
// flight there.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "arch/common/indices.h"
#include "arch/sm/memory/memory_queue.h"
#include "arch/sm/memory/operations.h"
#include "arch/sm/warps/block_state.h"

namespace sassim::arch {

class MemoryAccess {
 public:
  explicit MemoryAccess(BlockState& state);

  /// The warp's next instruction issues at `now` and enters the queue. `epoch` and `group`: see Operation.
  void send(WarpIndex warp, const StaticInstruction& instruction, std::uint32_t epoch, std::uint32_t group, Cycle now);
  /// A piece of a bulk copy of the warp, in code line `line`: `lanes` neighbouring 16 bytes from `address` on.
  struct Piece {
    std::uint32_t bulk;
    CodeLine line;
    std::uint64_t address;
    std::uint32_t lanes;
    LiveId live;
  };
  /// True if a piece may enter the queue, which keeps a place for the warps.
  bool takes_piece() const { return queue().size() + 1 < queue().capacity() || queue().empty(); }
  void send_piece(WarpIndex warp, const Piece& piece, Cycle now);
  /// A warp executes CCTL.IVALL: the L1 must invalidate its lines.
  void invalidate_lines() { invalidates_ = true; }
  /// True if invalidate_lines() was called since the last call of this function.
  bool dequeue_invalidation() { return std::exchange(invalidates_, false); }

  MemoryQueue& queue(UnitQueue which = UnitQueue::memory) { return queues_[static_cast<std::size_t>(which)]; }
  const MemoryQueue& queue(UnitQueue which = UnitQueue::memory) const {
    return queues_[static_cast<std::size_t>(which)];
  }
  /// The queue of an instruction whose resource is one of memory.
  MemoryQueue& queue_of(Resource resource) { return queue(arch::queue_of(resource, has_adu_queue_)); }
  const MemoryQueue& queue_of(Resource resource) const { return queue(arch::queue_of(resource, has_adu_queue_)); }
  /// After loading: what the instructions in the queues decode to.
  void attach_code() {
    for (MemoryQueue& queue : queues_) queue.attach(*state_.code);
  }
  /// An instruction that returns in order has done so. The load of its warp that does so next, or kNoLoad.
  std::uint32_t next_in_order(std::uint32_t operation);
  Operations& operations() { return operations_; }
  const Operations& operations() const { return operations_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(queues_, operations_, last_in_order_, invalidates_);
  }

 private:
  std::uint32_t address_interval(const StaticInstruction& instruction) const;
  void put_in_order(std::uint32_t operation, Order order);

  std::array<MemoryQueue, kUnitQueues> queues_;
  Operations operations_;
  std::vector<std::array<std::uint32_t, kOrders>> last_in_order_;  ///< by warp; empty as long as none has such loads
  const bool has_adu_queue_;                                       ///< sm.memory_io.adu_queue.entries
  bool invalidates_ = false;
  BlockState& state_;
};

}  // namespace sassim::arch
