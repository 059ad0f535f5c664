// SPDX-License-Identifier: Apache-2.0
// Stores and atomics in the L1: which data the L1 keeps, and the requests that go to the L2.
#include <algorithm>

#include "arch/sm/units/l1/l1_cache.h"

namespace sassim::arch {

/// All data go to the L2. The L1 also stores the written bytes, beside its valid sectors; a sector becomes valid when
/// all its bytes have been written.
bool L1Cache::write_line(const Queued& queued, const LineAccess& line, Cycle now) {
  if (!misses_.has_room()) return false;
  if (stores_.enabled() && !gather(queued, line, now)) return false;
  const bool held = tags_->holds(line.address);
  const auto whole = static_cast<std::uint8_t>(line.sectors & ~line.partial);
  const LineUse by = use(queued, now);
  if (held) tags_->touch(line.address, by);
  if (queued.bypass)
    tags_->drop(line.address, line.sectors);
  else if (!write_allocate_ && !held)
    ;  // the L1 keeps no data
  else if (line.partial == 0)
    tags_->store(line.address, whole, by);
  else
    tags_->write(line.address, queued.accesses.bytes[queued.position], by);
  if (!stores_.enabled()) {
    MemRequest request;
    request.kind = RequestKind::store;
    request.pc = queued.pc;
    request.evicts_first = queued.evicts_first;
    request.data_bytes = static_cast<std::uint16_t>(sector_count(line.sectors) * config_.sector);
    if (line.partial != 0) {
      const ByteMask& bytes = queued.accesses.bytes[queued.position];
      request.bytes = {bytes[0], bytes[1]};
    }
    send_written(line, request, queued.op, now);
  }
  // As in profiles of an H200 (validation/hardware/ncu): a store hits if its line has a tag, with or without valid
  // sectors.
  (held ? counters_[queued.traffic].hits : counters_[queued.traffic].misses) += sector_count(line.sectors);
  return true;
}

/// The store waits in the buffer for other stores to its line. False if there is no room for all pieces of the line.
bool L1Cache::gather(const Queued& queued, const LineAccess& line, Cycle now) {
  const ByteMask& bytes = queued.accesses.bytes[queued.position];
  std::uint32_t fresh = 0;
  pieces_.each(line.sectors,
               [&](std::uint32_t offset, std::uint8_t) { fresh += stores_.holds(line.address + offset) ? 0 : 1; });
  for (; stores_.room() < fresh; send_oldest_store(now))
    if (!misses_.has_room()) return false;
  pieces_.each(line.sectors, [&](std::uint32_t offset, std::uint8_t sectors) {
    counters_.stores_merged += stores_.add(line.address + offset, sectors, {bytes[offset / 64], bytes[offset / 64 + 1]},
                                           queued.op, now, queued.pc, queued.evicts_first);
    ++ops_[queued.op].waits;
  });
  return true;
}

void L1Cache::send_oldest_store(Cycle now) { misses_.add(stores_.take(), now); }

/// When the oldest line of the store buffer may leave: not before the tag stage has finished further stores.
Cycle L1Cache::next_store() const {
  if (stores_.empty() || !misses_.has_room()) return kNever;
  return std::max(stores_.oldest_ready(), stores_come_until_);
}

/// Bytes of operands that an atomic sends: those of its lanes or, with `atomic_waves`, whole sectors. An atomic with a
/// single lane sends the operand of that lane only.
std::uint16_t L1Cache::operand_bytes(const Queued& queued, const LineAccess& line) const {
  if (!config_.atomic_waves) return static_cast<std::uint16_t>(line.operations * queued.access_bytes);
  const std::uint64_t one = line.operations == 1 ? queued.access_bytes : sector_count(line.sectors) * config_.sector;
  return static_cast<std::uint16_t>(queued.compares ? 2 * one : one);
}

/// The L2 performs atomics, so the L1 drops the sectors that they change.
bool L1Cache::atomic_line(const Queued& queued, const LineAccess& line, Cycle now) {
  if (!misses_.has_room()) return false;
  tags_->drop(line.address, line.sectors);
  MemRequest request;
  request.kind = ops_[queued.op].mode == L1Mode::atomic ? RequestKind::atomic : RequestKind::reduction;
  request.pc = queued.pc;
  request.operations = line.operations;
  request.serial = line.serial;
  request.floating = queued.floating;
  request.data_bytes = operand_bytes(queued, line);
  send_written(line, request, queued.op, now);
  counters_[queued.traffic].misses += sector_count(line.sectors);
  return true;
}

/// Adds a request for each piece of the line, with its share of the data and of an atomic's operations.
void L1Cache::send_written(const LineAccess& line, const MemRequest& whole, std::uint32_t op, Cycle now) {
  const std::uint64_t all = sector_count(line.sectors);
  pieces_.each(line.sectors, [&](std::uint32_t offset, std::uint8_t sectors) {
    const std::uint64_t here = sector_count(pieces_.line_sectors(offset, sectors));
    MemRequest request = whole;
    request.address = line.address + offset;
    request.tag = op;
    request.sectors = sectors;
    request.partial = pieces_.small_at(line.partial, offset);
    if (offset != 0) request.bytes = {};
    request.data_bytes = static_cast<std::uint16_t>(whole.data_bytes * here / all);
    request.operations = static_cast<std::uint8_t>((whole.operations * here + all - 1) / all);
    misses_.add(request, now);
    ++ops_[op].waits;
  });
}

}  // namespace sassim::arch
