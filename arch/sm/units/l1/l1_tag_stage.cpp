// SPDX-License-Identifier: Apache-2.0
// The tag stage of the L1: one pass of one instruction per cycle, line by line.
#include <algorithm>

#include "arch/sm/units/l1/l1_cache.h"

namespace sassim::arch {

/// One pass of the oldest instruction, if its lines have room now. An instruction without room waits until a reply or a
/// departing request makes some.
void L1Cache::tag_stage(Cycle now) {
  Queued& queued = slots_[queue_.front()];
  InFlight& flight = ops_[queued.op];
  if (queued.position == 0) {
    // The data stage may be behind by at most as many cycles as the queue has entries.
    if (const Cycle room = now + queue_capacity_; hits_until_ > room) {
      next_tags_ = now + (hits_until_ - room).value;
      return;
    }
    flight.first_pass = now;
  }
  const LineAccesses& accesses = queued.accesses;
  if (queued.position < accesses.count) {
    const std::uint8_t pass = accesses.lines[queued.position].pass;
    const std::uint32_t first = queued.position;
    for (; queued.position < accesses.count && accesses.lines[queued.position].pass == pass; ++queued.position) {
      if (look_up(queued, accesses.lines[queued.position], now)) continue;
      next_tags_ = kNever;
      return;
    }
    if (flight.mode == L1Mode::store)
      stores_come_until_ = now + std::max(config_.store_interval * (queued.position - first), 1u);
  }
  if (queued.position == accesses.count) {
    finish(queued, now);
    free_slots_.push_back(queue_.front());
    queue_.pop();
  }
  next_tags_ = next_pass(now);
}

void L1Cache::finish(const Queued& queued, Cycle now) {
  InFlight& flight = ops_[queued.op];
  if (flight.mode == L1Mode::store)
    hits_until_ = data_.reserve(flight.first_pass, flight.data_cycles) + flight.data_cycles;
  if (flight.mode == L1Mode::store || flight.mode == L1Mode::reduction)
    events_.push(now, flight.token, UnitEvent::Kind::departed);
  part_done(queued.op, now);
}

Cycle L1Cache::next_pass(Cycle now) const {
  const Cycle free = std::max(now + 1, stores_come_until_);
  return queue_.empty() ? kNever : std::max(free, slots_[queue_.front()].ready);
}

LineUse L1Cache::use(const Queued& queued, Cycle now) const {
  const L1Mode mode = ops_[queued.op].mode;
  const bool loads = mode == L1Mode::load || mode == L1Mode::async;
  const RequestKind kind = loads                    ? RequestKind::load
                           : mode == L1Mode::store  ? RequestKind::store
                           : mode == L1Mode::atomic ? RequestKind::atomic
                                                    : RequestKind::reduction;
  return {kind, queued.pc, sm_, now.value};
}

bool L1Cache::look_up(Queued& queued, const LineAccess& line, Cycle now) {
  bool done = false;
  switch (ops_[queued.op].mode) {
    case L1Mode::load:
    case L1Mode::async:
      done = look_up_load(queued, line, now);
      break;
    case L1Mode::store:
      done = write_line(queued, line, now);
      break;
    case L1Mode::atomic:
    case L1Mode::reduction:
      done = atomic_line(queued, line, now);
      break;
  }
  if (done) {
    ++counters_[queued.traffic].tags;
    counters_[queued.traffic].sectors += std::max<std::uint64_t>(sector_count(line.sectors), line.places);
    if (observer_ != nullptr) observe(queued, line);
  }
  return done;
}

void L1Cache::observe(const Queued& queued, const LineAccess& line) {
  const L1Mode mode = ops_[queued.op].mode;
  CacheAccess access{line.address, line.sectors, line.partial, CacheAccess::Kind::read};
  if (mode == L1Mode::store) access.kind = CacheAccess::Kind::write;
  if (mode == L1Mode::atomic || mode == L1Mode::reduction || queued.bypass) access.kind = CacheAccess::Kind::pass_by;
  observer_->l1_access(sm_, access);
}

}  // namespace sassim::arch
