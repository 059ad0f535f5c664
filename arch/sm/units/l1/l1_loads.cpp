// SPDX-License-Identifier: Apache-2.0
// Loads in the L1: which sectors are present, which are in flight, and which must be requested.
#include "arch/sm/units/l1/l1_cache.h"

namespace sassim::arch {

bool L1Cache::look_up_load(const Queued& queued, const LineAccess& line, Cycle now) {
  std::uint8_t held = config_.perfect ? line.sectors : queued.bypass ? 0 : tags_->sectors(line.address);
  if (queued.which_bytes && !queued.bypass && (line.sectors & ~held) != 0)
    held |= tags_->written(line.address, line.sectors, queued.accesses.bytes[queued.position]);
  const auto valid = static_cast<std::uint8_t>(held & line.sectors);
  const auto missing = static_cast<std::uint8_t>(line.sectors & ~valid);
  std::uint8_t fresh = 0, again = 0;
  trace::LiveAccess* const live = ops_[queued.op].live;
  const std::uint64_t order = live != nullptr ? live->order : 0;
  if (missing != 0) {
    std::uint32_t entry = queued.bypass ? PendingRequests::kNone : pending_.find(line.address);
    const bool known = entry != PendingRequests::kNone;
    fresh = static_cast<std::uint8_t>(known ? missing & ~pending_[entry].requested : missing);
    again = repeated(line, static_cast<std::uint8_t>(missing & ~fresh), fresh);
    if (known && !pending_.can_merge(entry)) return false;
    if (pending_.room() < (known ? 0u : 1u) + (again != 0 ? 1u : 0u)) return false;
    if (fresh != 0 && !sectors_fit(sector_count(fresh) + sector_count(again))) return false;
    if (fresh != 0 && !misses_.has_room()) return false;
    if (queued.bypass) tags_->drop(line.address, line.sectors);
    if (!known) entry = pending_.allocate(line.address, !queued.bypass, !queued.bypass, queued.pc);
    if (!known && live_.active()) live_.open(entry, line.address);
    if (live != nullptr) live_.join(*live, line.address, entry, missing);
    ops_[queued.op].missed = true;
    const std::uint32_t saved = queued.accesses.count > 1 ? config_.lines_save : 0;
    wait_for(entry, queued.op, missing);
    if (fresh != 0) {
      if (allocate_on_miss_ && !queued.bypass) tags_->expect(line.address, use(queued, now));
      ask(queued, line, entry, fresh, saved, order, now);
    }
    if (again != 0) {
      entry = pending_.allocate(line.address, false, false, queued.pc);
      if (live_.active()) live_.open(entry, line.address);
      wait_for(entry, queued.op, again);
      ask(queued, line, entry, again, saved, order, now);
    }
  }
  if (live != nullptr && valid != 0) live_.hit(*live, line.address, valid);
  // With allocation on a miss, a load that joins a line in flight counts as a use of that line.
  const bool used = valid != 0 || (allocate_on_miss_ && fresh != missing);
  if (used && !config_.perfect) tags_->touch(line.address, use(queued, now));
  L1Counters::PerTraffic& c = counters_[queued.traffic];
  c.hits += sector_count(valid);
  c.misses += sector_count(fresh) + sector_count(line.again);
  counters_.asked_again += sector_count(again) - sector_count(line.again);
  c.pending_hits += sector_count(missing) - sector_count(fresh);
  return true;
}

/// Sectors that are asked for once more although they are in flight: those that go to two places, and, if the request
/// of a look-up has all the sectors that it has not found, those that other loads wait for.
std::uint8_t L1Cache::repeated(const LineAccess& line, std::uint8_t in_flight, std::uint8_t fresh) const {
  const bool whole = !config_.join_parts && fresh != 0;
  return static_cast<std::uint8_t>(line.again | (whole ? in_flight : 0));
}

void L1Cache::wait_for(std::uint32_t entry, std::uint32_t op, std::uint8_t sectors) {
  pending_.wait(entry, op, sectors);
  ++ops_[op].waits;
}

void L1Cache::ask(const Queued& queued, const LineAccess& line, std::uint32_t entry, std::uint8_t wanted,
                  std::uint32_t saved, std::uint64_t live_order, Cycle now) {
  pending_.request(entry, wanted);
  sectors_in_flight_ += sector_count(wanted);
  if (live_.active()) live_.ask(entry, wanted, live_order);
  pieces_.each(wanted, [&](std::uint32_t offset, std::uint8_t sectors) {
    MemRequest request;
    request.address = line.address + offset;
    request.tag = entry;
    request.pc = pending_[entry].pc;
    request.sectors = sectors;
    request.system_scope = queued.system_scope;
    request.evicts_first = queued.evicts_first;
    request.split_copy = line.split;
    misses_.add(request, now, saved);
  });
}

}  // namespace sassim::arch
