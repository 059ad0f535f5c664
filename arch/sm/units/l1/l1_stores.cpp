// SPDX-License-Identifier: Apache-2.0
// Writes a store through the L1 to the L2, perhaps merged with others, and passes atomics on to the L2.
#include "arch/sm/units/l1/l1_stores.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/config/groups/l1.h"

namespace sassim::arch {

L1Stores::L1Stores(L1Core& core, DataReturn& returns)
    : core_(core),
      returns_(returns),
      buffer_(core.config.store_gather.lines, core.config.store_gather.hold),
      write_allocate_(core.config.write_policy == "allocate") {
  if (!write_allocate_ && core.config.write_policy != "no_allocate")
    throw InputError("sm.l1.write_policy is '{}': expected allocate or no_allocate", core.config.write_policy);
}

/// All data go to the L2. The L1 also stores the written bytes, beside its valid sectors; a sector becomes valid when
/// all its bytes have been written.
bool L1Stores::store(const L1Access& access, const LineAccess& line, Cycle now) {
  if (!core_.misses.has_room()) return false;
  if (buffer_.enabled() && !gather(access, line, now)) return false;
  const bool held = core_.tags->holds(line.address);
  keep(access, line, held, now);
  if (!buffer_.enabled()) {
    MemRequest request;
    request.kind = RequestKind::store;
    request.pc = access.pc;
    request.evicts_first = access.evicts_first;
    request.data_bytes = static_cast<std::uint16_t>(sector_count(line.sectors) * core_.config.sector);
    if (line.partial != 0) request.bytes = {access.bytes()[0], access.bytes()[1]};
    send(line, request, access.op, now);
  }
  // As in profiles of an H200 (validation/measured/profiles): a store hits if its line has a tag, with or without valid
  // sectors.
  L1Counters::PerTraffic& counters = core_.counters[access.traffic];
  (held ? counters.hits : counters.misses) += sector_count(line.sectors);
  return true;
}

void L1Stores::keep(const L1Access& access, const LineAccess& line, bool held, Cycle now) {
  L1Tags& tags = *core_.tags;
  const LineUse by = core_.use(access, now);
  if (held) tags.touch(line.address, by);
  if (access.bypass) return tags.drop(line.address, line.sectors);
  if (!write_allocate_ && !held) return;
  if (line.partial == 0)
    tags.store(line.address, line.sectors, by);
  else
    tags.write(line.address, access.bytes(), by);
}

/// The store waits in the buffer for other stores to its line. False if there is no room for all pieces of the line.
bool L1Stores::gather(const L1Access& access, const LineAccess& line, Cycle now) {
  const ByteMask& bytes = access.bytes();
  std::uint32_t fresh = 0;
  core_.pieces.each(line.sectors,
                    [&](std::uint32_t offset, std::uint8_t) { fresh += buffer_.holds(line.address + offset) ? 0 : 1; });
  for (; buffer_.room() < fresh; send_oldest(now))
    if (!core_.misses.has_room()) return false;
  core_.pieces.each(line.sectors, [&](std::uint32_t offset, std::uint8_t sectors) {
    core_.counters.stores_merged +=
        buffer_.add(line.address + offset, sectors, {bytes[offset / 64], bytes[offset / 64 + 1]}, access.op, now,
                    access.pc, access.evicts_first);
    returns_.wait(access.op);
  });
  return true;
}

Cycle L1Stores::next_store(Cycle stores_come_until) const {
  if (buffer_.empty() || !core_.misses.has_room()) return kNever;
  return std::max(buffer_.oldest_ready(), stores_come_until);
}

/// Bytes of operands that an atomic sends: those of its lanes or, with `atomic_waves`, whole sectors. An atomic with a
/// single lane sends the operand of that lane only.
std::uint16_t L1Stores::operand_bytes(const L1Access& access, const LineAccess& line) const {
  if (!core_.config.atomic_waves) return static_cast<std::uint16_t>(line.operations * access.access_bytes);
  const std::uint64_t one =
      line.operations == 1 ? access.access_bytes : sector_count(line.sectors) * core_.config.sector;
  return static_cast<std::uint16_t>(access.compares ? 2 * one : one);
}

/// The L2 performs atomics, so the L1 drops the sectors that they change.
bool L1Stores::change(const L1Access& access, const LineAccess& line, Cycle now) {
  if (!core_.misses.has_room()) return false;
  core_.tags->drop(line.address, line.sectors);
  MemRequest request;
  request.kind = access.mode == L1Mode::atomic ? RequestKind::atomic : RequestKind::reduction;
  request.pc = access.pc;
  request.atomic.operations = line.operations;
  request.atomic.serial = line.serial;
  request.atomic.floating = access.floating;
  request.data_bytes = operand_bytes(access, line);
  send(line, request, access.op, now);
  core_.counters[access.traffic].misses += sector_count(line.sectors);
  return true;
}

/// Adds a request for each piece of the line, with its share of the data and of an atomic's operations.
void L1Stores::send(const LineAccess& line, const MemRequest& whole, std::uint32_t op, Cycle now) {
  const std::uint64_t all = sector_count(line.sectors);
  core_.pieces.each(line.sectors, [&](std::uint32_t offset, std::uint8_t sectors) {
    const std::uint64_t here = sector_count(core_.pieces.line_sectors(offset, sectors));
    MemRequest request = whole;
    request.address = line.address + offset;
    request.tag = op;
    request.sectors = sectors;
    request.partial = core_.pieces.small_at(line.partial, offset);
    if (offset != 0) request.bytes = {};
    request.data_bytes = static_cast<std::uint16_t>(whole.data_bytes * here / all);
    request.atomic.operations = static_cast<std::uint8_t>((whole.atomic.operations * here + all - 1) / all);
    core_.misses.add(request, now);
    returns_.wait(op);
  });
}

void L1Stores::acknowledge(const MemReply& reply, Cycle now) {
  if (reply.kind == RequestKind::store && buffer_.enabled())
    return buffer_.acknowledged(reply.tag, [&](std::uint32_t op) { returns_.part_done(op, now); });
  if (reply.kind == RequestKind::atomic) core_.counters.fills += sector_count(reply.sectors);
  returns_.part_done(reply.tag, now);
}

void L1Stores::serve(const MemRequest& request) {
  if (request.kind != RequestKind::store) return serve(request.tag, request, core_.config.atomic_waves);
  if (!buffer_.enabled()) return serve(request.tag, request, false);
  buffer_.each_store(request.tag, [&](std::uint32_t op) { serve(op, request, false); });
}

void L1Stores::serve(std::uint32_t op, const MemRequest& request, bool waves) {
  if (const LiveId live = returns_[op].live) core_.live.serve_request(live, request.address, request.sectors, waves);
}

}  // namespace sassim::arch
