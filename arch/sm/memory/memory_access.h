// SPDX-License-Identifier: Apache-2.0
// The connection of a processing block to memory: its queue to the memory stage that the SM shares, and its memory
// instructions in flight.
#pragma once

#include <cstdint>
#include <utility>

#include "arch/sm/block_state.h"
#include "arch/sm/memory/memory_queue.h"
#include "arch/sm/memory/operations.h"

namespace sassim::arch {

class MemoryAccess {
 public:
  explicit MemoryAccess(BlockState& state)
      : queue_(state.config.memory_io, state.config.memory_io.queue, state.config.memory_io.pipeline),
        adu_queue_(state.config.memory_io, state.config.memory_io.adu_entries, state.config.memory_io.pipeline),
        // The texture unit takes an access at once; the cycles of the pipeline pass behind it.
        texture_queue_(state.config.memory_io, state.config.memory_io.texture_queue, 0),
        state_(state) {}

  /// The warp's next instruction issues at `now` and enters the queue. `epoch` and `group`: see Operation.
  void send(std::uint32_t warp, const StaticInstruction& instruction, std::uint32_t epoch, std::uint32_t group,
            Cycle now);
  /// A piece of a bulk copy of the warp, in code line `line`: `lanes` neighbouring 16 bytes from `address` on.
  struct Piece {
    std::uint32_t bulk, line;
    std::uint64_t address;
    std::uint32_t lanes;
    trace::LiveAccess* live;
  };
  /// True if a piece may enter the queue, which keeps a place for the warps.
  bool takes_piece() const { return queue_.size() + 1 < queue_.capacity() || queue_.empty(); }
  void send_piece(std::uint32_t warp, const Piece& piece, Cycle now);
  /// A warp executes CCTL.IVALL: the L1 must invalidate its lines.
  void forget_lines() { forgets_ = true; }
  /// True if forget_lines() was called since the last call of this function.
  bool take_forgets() { return std::exchange(forgets_, false); }

  MemoryQueue& queue() { return queue_; }
  const MemoryQueue& queue() const { return queue_; }
  /// The queue of LDC, S2UR and the S2R that the ADU handles, if they have one of their own.
  MemoryQueue& adu_queue() { return has_adu_queue() ? adu_queue_ : queue_; }
  const MemoryQueue& adu_queue() const { return has_adu_queue() ? adu_queue_ : queue_; }
  /// The queue of accesses through the texture unit.
  MemoryQueue& texture_queue() { return texture_queue_; }
  const MemoryQueue& texture_queue() const { return texture_queue_; }
  /// The queue of an instruction whose resource is one of memory.
  const MemoryQueue& queue_of(Resource resource) const {
    return resource == Resource::constant ? adu_queue() : resource == Resource::texture ? texture_queue_ : queue_;
  }
  MemoryQueue& queue_of(Resource resource) { return const_cast<MemoryQueue&>(std::as_const(*this).queue_of(resource)); }
  bool has_adu_queue() const { return state_.config.memory_io.adu_entries != 0; }
  Operations& operations() { return operations_; }
  const Operations& operations() const { return operations_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(queue_, adu_queue_, texture_queue_, operations_, forgets_);
  }

 private:
  std::uint32_t address_interval(const StaticInstruction& instruction) const;

  MemoryQueue queue_, adu_queue_, texture_queue_;
  Operations operations_;
  bool forgets_ = false;
  BlockState& state_;
};

}  // namespace sassim::arch
