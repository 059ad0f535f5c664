// SPDX-License-Identifier: Apache-2.0
// The part of the SyncUnit for named barriers of a thread block: BAR.
#include "arch/sm/sync/sync_unit.h"
#include "sim/base/error.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

SyncUnit::BarrierName SyncUnit::barrier_of(WarpIndex warp, const StaticInstruction& instruction) const {
  if (!instruction.barrier.in_trace) return {instruction.barrier.number, instruction.barrier.threads};
  const InstructionBuffer& buffer = state_.buffers[warp];
  const std::optional<trace::BlockBarrier> named = buffer.front_detail().block_barrier();
  if (!named) {
    const isa::Instruction& text = state_.code->kernel().code[buffer.front().index];
    throw NotSupported("{}: '{}' at pc {:#x} takes its barrier from a register, which this trace does not hold",
                       state_.code->kernel().name, text.text(), text.pc);
  }
  return {named->number, named->threads};
}

/// The warp's next instruction, a BAR, issues. The warp waits from now on, wherever it arrives.
SyncUnit::Arrival SyncUnit::arrival(WarpIndex warp_index, const StaticInstruction& instruction) {
  ResidentWarp& warp = state_.warps[warp_index];
  WarpSync& sync = warps_[warp_index];
  const InstructionBuffer& buffer = state_.buffers[warp_index];
  if (buffer.front().lanes.none()) return {};  // its guard was false
  if (state_.config.issue.open_barriers && !buffer.live()) return {};
  // Threads of a diverged warp arrive in groups, one after the other. The warp as a whole has arrived when a thread
  // that waits continues in the trace.
  sync.at_barrier = sync.at_barrier | buffer.front().active;
  const InstructionBuffer::Entry* next = buffer.second();
  const bool others_run = instruction.barrier.waits && next != nullptr && (next->active & sync.at_barrier).none();
  if (others_run) return {};
  sync.at_barrier = LaneMask{};
  const bool waits = instruction.barrier.waits && next != nullptr;
  if (waits) warp.hold = Hold::barrier;
  const auto [barrier, threads] = barrier_of(warp_index, instruction);
  return {true, waits, warp.place, barrier, (threads + kWarpSize - 1u) / kWarpSize, state_.slot(warp_index)};
}

void SyncUnit::arrive(const Arrival& arrival, Cycle now) {
  if (!arrival.counts) return;
  sm_.barriers.arrive(arrival.place, arrival.barrier, arrival.warps, arrival.waits, arrival.warp, now);
}

void SyncUnit::barrier_reached(Cycle now) {
  arrive(queued_.front(), now);
  queued_.erase(queued_.begin());
}

bool SyncUnit::barrier_opened(WarpIndex warp_index) {
  ResidentWarp& warp = state_.warps[warp_index];
  if (!warp.resident || warp.hold != Hold::barrier) return false;
  warp.hold = Hold::none;
  return true;
}

}  // namespace sassim::arch
