// SPDX-License-Identifier: Apache-2.0
// Looks a load's line up in the L1: hits, joins a line in flight, or requests its missing sectors; and takes replies.
#include "arch/sm/units/l1/l1_loads.h"

#include <algorithm>

#include "sim/config/groups/l1.h"

namespace sassim::arch {

L1Loads::L1Loads(L1Core& core, DataReturn& returns)
    : core_(core),
      returns_(returns),
      pending_(core.config.pending_requests, core.config.pending_merges),
      allocate_on_miss_(core.config.allocate == "miss") {}

std::uint8_t L1Loads::present(const L1Access& access, const LineAccess& line) const {
  if (core_.config.perfect) return line.sectors;
  if (access.bypass) return 0;
  std::uint8_t held = core_.tags->sectors(line.address);
  if (access.which_bytes && (line.sectors & ~held) != 0)
    held |= core_.tags->written(line.address, line.sectors, access.bytes());
  return static_cast<std::uint8_t>(held & line.sectors);
}

bool L1Loads::look_up(const L1Access& access, const LineAccess& line, Cycle now) {
  const std::uint8_t valid = present(access, line);
  Missing missing{static_cast<std::uint8_t>(line.sectors & ~valid), 0, 0};
  if (missing.all != 0 && !request(access, line, missing, now)) return false;
  if (const LiveId live = returns_[access.op].live; live && valid != 0) core_.live.hit(live, line.address, valid);
  // With allocation on a miss, a load that joins a line in flight counts as a use of that line.
  const bool used = valid != 0 || (allocate_on_miss_ && missing.fresh != missing.all);
  if (used && !core_.config.perfect) core_.tags->touch(line.address, core_.use(access, now));
  L1Counters::PerTraffic& c = core_.counters[access.traffic];
  c.hits += sector_count(valid);
  c.misses += sector_count(missing.fresh) + sector_count(line.again);
  core_.counters.asked_again += sector_count(missing.again) - sector_count(line.again);
  c.pending_hits += sector_count(missing.all) - sector_count(missing.fresh);
  return true;
}

/// Requests the missing sectors that are not in flight. False if there is no room.
bool L1Loads::request(const L1Access& access, const LineAccess& line, Missing& missing, Cycle now) {
  std::uint32_t entry = access.bypass ? PendingRequests::kNone : pending_.find(line.address);
  const bool known = entry != PendingRequests::kNone;
  const auto fresh = static_cast<std::uint8_t>(known ? missing.all & ~pending_[entry].requested : missing.all);
  const std::uint8_t again = repeated(line, static_cast<std::uint8_t>(missing.all & ~fresh), fresh);
  if (known && !pending_.can_merge(entry)) return false;
  if (pending_.room() < (known ? 0u : 1u) + (again != 0 ? 1u : 0u)) return false;
  if (fresh != 0 && !core_.misses.has_room()) return false;
  if (fresh != 0 && !returns_.may_ask(access.op)) return false;
  missing.fresh = fresh;
  missing.again = again;
  if (access.bypass) core_.tags->drop(line.address, line.sectors);
  if (!known) entry = open(access, line, !access.bypass);
  DataReturn::Flight& flight = returns_[access.op];
  if (flight.live) core_.live.join(flight.live, line.address, entry, missing.all);
  flight.missed = true;
  if (fresh != 0) returns_.ask(access.op);
  wait_for(entry, access.op, missing.all);
  if (fresh != 0) {
    if (allocate_on_miss_ && !access.bypass) core_.tags->expect(line.address, core_.use(access, now));
    ask(access, line, entry, fresh, now);
  }
  if (again != 0) {
    entry = open(access, line, false);
    wait_for(entry, access.op, again);
    ask(access, line, entry, again, now);
  }
  return true;
}

/// Sectors that are asked for once more although they are in flight: those that go to two places, and, if the request
/// of a look-up has all the sectors that it has not found, those that other loads wait for.
std::uint8_t L1Loads::repeated(const LineAccess& line, std::uint8_t in_flight, std::uint8_t fresh) const {
  const bool whole = !core_.config.join_parts && fresh != 0;
  return static_cast<std::uint8_t>(line.again | (whole ? in_flight : 0));
}

/// Another line in flight. `fills`: the L1 keeps it, and later loads may wait for it.
std::uint32_t L1Loads::open(const L1Access& access, const LineAccess& line, bool fills) {
  const std::uint32_t entry = pending_.allocate(line.address, fills, fills, access.pc);
  if (core_.live.active()) core_.live.open(entry, line.address);
  return entry;
}

void L1Loads::wait_for(std::uint32_t entry, std::uint32_t op, std::uint8_t sectors) {
  pending_.wait(entry, op, sectors);
  returns_.wait(op);
}

void L1Loads::ask(const L1Access& access, const LineAccess& line, std::uint32_t entry, std::uint8_t wanted, Cycle now) {
  pending_.request(entry, wanted);
  if (core_.live.active()) core_.live.ask(entry, wanted, returns_[access.op].live);
  const std::uint32_t saved = access.accesses.count > 1 ? core_.config.lines_save : 0;
  core_.pieces.each(wanted, [&](std::uint32_t offset, std::uint8_t sectors) {
    MemRequest request;
    request.address = line.address + offset;
    request.tag = entry;
    request.pc = pending_[entry].pc;
    request.sectors = sectors;
    request.load.system_scope = access.system_scope;
    request.evicts_first = access.evicts_first;
    request.load.split_copy = line.split;
    core_.misses.add(request, now, saved);
  });
}

void L1Loads::arrive(const MemReply& reply, Cycle now) {
  core_.counters.fills += sector_count(reply.sectors);
  const PendingRequests::Entry entry = pending_[reply.tag];
  const std::uint8_t sectors =
      core_.pieces.line_sectors(static_cast<std::uint32_t>(reply.address - entry.line), reply.sectors);
  if (entry.fills) core_.tags->fill(entry.line, sectors, core_.use(RequestKind::load, entry.pc, now));
  if (allocate_on_miss_ && entry.fills && (entry.arrived | sectors) == entry.requested) core_.tags->arrived(entry.line);
  if (core_.live.active()) core_.live.arrive(reply.tag, sectors, entry.fills);
  pending_.arrive(reply.tag, sectors, [&](std::uint32_t op) {
    if (returns_[op].live) core_.live.collect(returns_[op].live, reply.tag);
    returns_.part_done(op, now);
  });
}

}  // namespace sassim::arch
