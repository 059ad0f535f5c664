// SPDX-License-Identifier: Apache-2.0
// What a processing block does at the events it has planned or is told of, outside fetch and issue: results, releases,
// memory operations, ends of warps.
#include <fmt/format.h>

#include <bit>
#include <stdexcept>

#include "arch/sm/block/processing_block.h"
#include "sim/base/error.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

void ProcessingBlock::handle(const BlockEvent& event, Cycle now) {
  using Kind = BlockEvent::Kind;
  if (event.kind == Kind::memory_written) return memory_event(event.data, UnitEvent::Kind::written_back, now);
  if (event.generation != state_.warps[event.warp].generation) return;
  const WarpIndex warp(event.warp);
  switch (event.kind) {
    case Kind::written:
      release_write(warp, CodeLine(event.data), now);
      break;
    case Kind::read:
      dependences_.read(warp, CodeLine(event.data));
      break;
    case Kind::begin_warp:
      return begin_warp(warp, now);
    case Kind::start_fetch:
      state_.warps[warp].starting = false;
      fetch_.want(warp);
      break;
    case Kind::resume_fetch:
      state_.warps[warp].flow.redirected = false;
      fetch_.want(warp);
      break;
    case Kind::release_hold:
      sync_.release(warp, now);
      break;
    case Kind::bulk_piece:
      return bulk_piece(warp, event.data, now);
    case Kind::give_up:
      sync_.copies().give_up(event.data, now);
      break;
    case Kind::spin_swap:
      state_.live->end(memory_.operations()[event.data].live);
      return;
    case Kind::sync_threads:
      sync_.sync_threads(warp, event.data, now);
      break;
    case Kind::end_warp:
      return end_warp(warp, now);
    case Kind::memory_written:
      return;
  }
  issue_.update(warp, now);
}

void ProcessingBlock::bulk_piece(WarpIndex warp, std::uint32_t index, Cycle now) {
  const auto again = [&](std::uint32_t cycles) {
    state_.after(now + cycles, BlockEvent::Kind::bulk_piece, warp, index);
  };
  if (memory_.queue().capacity() < 2)
    throw InputError("sm.memory_io.queue: with bulk copies (UBLKCP) the queue needs at least two places");
  if (!memory_.takes_piece()) return again(1);
  const auto [piece, last] = sync_.copies().next_piece(index);
  memory_.send_piece(warp, piece, now);
  if (!last) again(1);
}

void ProcessingBlock::line_arrived(const InstructionCache::Client& client, Cycle now) {
  state_.agenda.call(now);
  if (!client.constant()) return fetch_.arrived(client.what, now);
  WarpMask warps = operands_.constants.fill(client, *state_.scheduler, state_.view, now);
  for (; warps != 0; warps &= warps - 1) {
    const WarpIndex warp(std::countr_zero(warps));
    if (state_.warps[warp].hold != Hold::constant) continue;
    state_.warps[warp].hold = Hold::none;
    issue_.update(warp, now);
  }
}

void ProcessingBlock::barrier_opened(WarpIndex warp, Cycle now) {
  if (!sync_.barrier_opened(warp)) return;
  state_.agenda.call(now);
  if (state_.buffers[warp].live()) issue_.find_path(warp, now);
  issue_.update(warp, now);
}

void ProcessingBlock::fence_passed(WarpIndex warp, Cycle now) {
  state_.agenda.call(now);
  sync_.release(warp, now);
  issue_.update(warp, now);
}

void ProcessingBlock::release_write(WarpIndex warp, CodeLine line, Cycle now) {
  dependences_.written(warp, line, now);
  sync_.written(warp, (*state_.code)[line]);
}

void ProcessingBlock::memory_event(std::uint32_t index, UnitEvent::Kind kind, Cycle now) {
  state_.agenda.call(now);
  Operation& operation = memory_.operations()[index];
  const WarpIndex warp_index(operation.warp);
  if (state_.observer != nullptr) state_.observer->completed(state_.name(warp_index), operation.issued, now);
  const ResidentWarp& warp = state_.warps[warp_index];
  if (kind == UnitEvent::Kind::acknowledged && operation.epoch != Operation::kNoEpoch)
    sync_.store_done(operation.epoch, now);
  if (operation.left && (operation.generation != warp.generation || !warp.resident)) {
    state_.live->end(operation.live);
    return memory_.operations().remove(index);
  }
  const StaticInstruction& instruction = (*state_.code)[operation.line];
  std::uint32_t newer = Operation::kNoLoad;
  if (kind == UnitEvent::Kind::departed) {
    operation.departed = true;
  } else if (kind == UnitEvent::Kind::sources_read) {
    operation.sources_read = true;
    if (operation.bulk == Operation::kNoBulk) dependences_.read(warp_index, operation.line);
  } else if (operation.older != Operation::kNoLoad) {
    operation.returned = true;
    return;
  } else {
    // A fixed-latency result takes the write port; data from memory wait one cycle.
    if (kind == UnitEvent::Kind::written_back &&
        operands_.registers.write_conflict(instruction.registers.write_banks, now))
      return state_.after(now + 1, BlockEvent::Kind::memory_written, warp_index, index);
    operation.finished = true;
    newer = memory_.next_in_order(index);
    state_.live->end(operation.live);
    if (operation.bulk != Operation::kNoBulk)
      sync_.copies().piece_done(operation.bulk, now);
    else
      release_write(warp_index, operation.line, now);
    if (instruction.action == Action::barrier) sync_.barrier_reached(now);
    if (instruction.memory.copies) sync_.copies().copy_done(warp_index, operation.group, now);
  }
  if (operation.sources_read && operation.finished)
    memory_done(index, now);
  else if (operation.sources_read && operation.departed)
    memory_left(operation, now);
  else
    issue_.update(warp_index, now);
  if (newer != Operation::kNoLoad && memory_.operations()[newer].returned)
    memory_event(newer, UnitEvent::Kind::written_back, now);
}

/// A store that has left the SM no longer affects its warp, except at a MEMBAR.
void ProcessingBlock::memory_left(Operation& operation, Cycle now) {
  operation.left = true;
  const WarpIndex warp_index(operation.warp);
  ResidentWarp& warp = state_.warps[warp_index];
  ++warp.memory.left;
  if (warp.drained()) return end_warp(warp_index, now);
  issue_.update(warp_index, now);
}

/// An operation has read its sources and delivered its result, in either order.
void ProcessingBlock::memory_done(std::uint32_t index, Cycle now) {
  const Operation& operation = memory_.operations()[index];
  const WarpIndex warp_index(operation.warp);
  memory_.operations().remove(index);
  ResidentWarp& warp = state_.warps[warp_index];
  if (operation.left) --warp.memory.left;
  if (--warp.memory.outstanding == 0) sync_.memory_idle(warp_index, now);
  if (warp.drained()) return end_warp(warp_index, now);
  issue_.update(warp_index, now);
}

void ProcessingBlock::end_warp(WarpIndex warp_index, Cycle now) {
  ResidentWarp& warp = state_.warps[warp_index];
  issue_.accounts().charge(warp, now);
  if (const std::uint64_t cycles = now.value - warp.start.value; warp.accounted != cycles)
    throw std::logic_error(
        fmt::format("a warp was resident for {} cycles, of which {} have a reason", cycles, warp.accounted));
  if (state_.observer != nullptr) state_.observer->warp_ended(state_.name(warp_index), now);
  warp.resident = false;
  warp.reason = StallReason::no_warp;
  fetch_.end_warp(warp_index);
  issue_.accounts().ended(warp, now);
  state_.remove_resident(warp_index);
  ended_.push_back(warp_index);
  sync_.end_warp(warp_index, now);
}

}  // namespace sassim::arch
