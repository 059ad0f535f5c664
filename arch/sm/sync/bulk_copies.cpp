// SPDX-License-Identifier: Apache-2.0
// The part of AsyncCopies for bulk copies (UBLKCP): pieces of 32 times 16 bytes, whose bytes are taken from the
// transactions of a barrier in shared memory when they have been written.
#include <algorithm>
#include <bit>

#include "arch/sm/sync/async_copies.h"

namespace sassim::arch {

namespace {
constexpr std::uint32_t kUnit = 16;               // bytes; sizes and addresses of bulk copies are multiples (PTX)
constexpr std::uint32_t kPieceUnits = kWarpSize;  // a piece is what one memory operation of the model can carry
}  // namespace

/// The warp does not end before its copy has been sent, and then not before its pieces have come.
void AsyncCopies::start_bulk(WarpIndex warp, CodeLine line, Cycle first) {
  const InstructionBuffer& buffer = state_.buffers[warp];
  const InstructionBuffer::Entry& entry = buffer.front();
  if (!entry.has_addresses || entry.lanes.none()) return;
  const int lane = std::countr_zero(entry.lanes.bits);
  const trace::BulkCopy copy = buffer.front_detail().bulk_copy(lane).value_or(trace::BulkCopy{});
  if (copy.units == 0) return;
  if (free_bulk_.empty()) {
    free_bulk_.push_back(static_cast<std::uint32_t>(bulk_.size()));
    bulk_.push_back({});
  }
  const std::uint32_t index = free_bulk_.back();
  free_bulk_.pop_back();
  bulk_[index] = {warp, line, copy.barrier, copy.units, 0, 0, buffer.front_address(lane), live_operation(warp)};
  ++state_.warps[warp].memory.outstanding;
  state_.after(first, BlockEvent::Kind::bulk_piece, warp, index);
}

std::pair<MemoryAccess::Piece, bool> AsyncCopies::next_piece(std::uint32_t index) {
  Bulk& bulk = bulk_[index];
  const std::uint32_t units = std::min(kPieceUnits, bulk.units - bulk.sent);
  const MemoryAccess::Piece piece{
      index, bulk.line, bulk.address + std::uint64_t{bulk.sent} * kUnit, units,
      bulk.live ? state_.live->add((*state_.live)[bulk.live].piece(bulk.sent / kPieceUnits)) : LiveId{}};
  bulk.sent += units;
  const bool last = bulk.sent == bulk.units;
  if (last) {
    --state_.warps[bulk.warp].memory.outstanding;
    state_.live->end(bulk.live);
  }
  return {piece, last};
}

void AsyncCopies::piece_done(std::uint32_t index, Cycle now) {
  Bulk& bulk = bulk_[index];
  const std::uint32_t units = std::min(kPieceUnits, bulk.units - bulk.done);
  bulk.done += units;
  barriers_.change(state_.warps[bulk.warp].place, bulk.barrier,
                   {.transactions = -static_cast<std::int32_t>(units * kUnit)}, now);
  if (bulk.done == bulk.units) free_bulk_.push_back(index);
}

}  // namespace sassim::arch
